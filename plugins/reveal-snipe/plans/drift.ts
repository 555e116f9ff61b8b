import { invalidPlan, planFault } from "#plugins/reveal-snipe/plans/faults.ts";
import type { ArmedWith, Plan } from "#plugins/reveal-snipe/sql/plans.ts";
import type { Profile, Wallet } from "#plugins/wallets/contract.ts";

/** Why a plan was paused by itself. */
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
 * Says what changed since a plan was armed, most telling first; null: nothing that matters. A
 * profile that is gone has no wallet.
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
 * Returns the wallet that a plan of a profile pays with, or throws why it may have none: the
 * profile's confirmations first, then somebody else's wallet, then one that asks its owner.
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

/** What a plan is held against from now on. */
export function armedWith(profile: Profile, wallet: Wallet): ArmedWith {
	return {
		canonicalWalletId: profile.canonicalWalletId,
		profileRevision: profile.revision,
		walletRevision: wallet.revision,
	};
}
