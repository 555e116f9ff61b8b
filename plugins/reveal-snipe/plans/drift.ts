import { invalidPlan, planFault } from "#plugins/reveal-snipe/plans/faults.ts";
import type { ArmedWith, Plan } from "#plugins/reveal-snipe/sql/plans.ts";
import type { Profile, Wallet } from "#plugins/wallets/contract.ts";

/** Reasons why a plan was paused automatically. */
export const PAUSE_REASONS = [
	"wallet_inactive",
	"wallet_not_delegated",
	"delegation_disabled",
	"wallet_changed",
	"wallet_revision_changed",
	"confirmation_required",
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/**
 * Returns what changed since a plan was armed, the most important change first; null for none. A
 * deleted profile has no wallet.
 */
export function driftOf(
	plan: Pick<Plan, "walletId"> & ArmedWith,
	profile: Profile | null,
): PauseReason | null {
	const wallet = profile?.wallets.find(({ id }) => id === plan.walletId);
	if (!profile || !wallet || wallet.capability === "disabled") return "wallet_inactive";
	if (wallet.capability === "review-required") return "delegation_disabled";
	if (wallet.capability !== "embedded/delegated") return "wallet_not_delegated";
	if (profile.requireTradeConfirmation) return "confirmation_required";
	if (profile.canonicalWalletId !== plan.canonicalWalletId) return "wallet_changed";
	const isSame =
		profile.revision === plan.profileRevision && wallet.revision === plan.walletRevision;
	return isSame ? null : "wallet_revision_changed";
}

/**
 * Returns the wallet that a plan pays with, or throws. Checked in this order: the profile's
 * confirmations, another profile's wallet, a wallet that asks its owner.
 */
export function requireWallet(profile: Profile, walletId: string | null): Wallet {
	if (profile.requireTradeConfirmation) throw planFault.confirmationRequiredIncompatible();
	const id = walletId ?? profile.canonicalWalletId ?? profile.wallets[0]?.id;
	const wallet = profile.wallets.find((one) => one.id === id);
	if (!wallet && walletId !== null) throw invalidPlan("walletId", "you have no such wallet");
	if (wallet?.capability !== "embedded/delegated")
		throw planFault.delegatedExecutionWalletRequired();
	return wallet;
}

/** Returns the state of profile and wallet that later changes are compared with. */
export function armedWith(profile: Profile, wallet: Wallet): ArmedWith {
	return {
		canonicalWalletId: profile.canonicalWalletId,
		profileRevision: profile.revision,
		walletRevision: wallet.revision,
	};
}
