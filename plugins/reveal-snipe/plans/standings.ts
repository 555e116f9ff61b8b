// Reads what the fills of plans hold, and what changed since a plan was armed.

import type { Queryable } from "#core/db/Database.ts";
import { invalidPlan, planFault } from "#plugins/reveal-snipe/faults.ts";
import { type Fill, readFills } from "#plugins/reveal-snipe/sql/fills.ts";
import type { ArmedWith, Plan } from "#plugins/reveal-snipe/sql/plans.ts";
import type { Execution, Held, Profile, Wallet } from "#plugins/wallets/contract.ts";

/** A fill with the state of its intents and of the spend ledger. */
export type Standing = Fill & {
	/** The status of its newest intent. */
	status: Status;
	errorCode: string | null;
	error: Held["error"];
	/** True: one of the plan's intents may still spend. */
	isOpen: boolean;
	/** The amount that the ledger holds for all its intents, and how much more may be added. */
	heldRaw: bigint;
	openRaw: bigint;
};

/**
 * The totals of fills: what is held, and what may be held after open ones are done. Fills of the
 * service's dry-run mode count as if they had been sent.
 */
type Totals = {
	spentRaw: bigint;
	filledCount: number;
	committedRaw: bigint;
	committedCount: number;
};

type Status = Held["status"];

/** Reasons why a plan was paused automatically. */
export const PAUSE_REASONS = [
	"wallet_inactive",
	"wallet_not_delegated",
	"delegation_disabled",
	"wallet_changed",
	"wallet_revision_changed",
	"confirmation_required",
] as const;
type PauseReason = (typeof PAUSE_REASONS)[number];

const ENDED: ReadonlySet<string> = new Set([
	"rejected",
	"confirmed",
	"failed",
	"expired",
	"dry_run",
] satisfies Status[]);

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

/** Reads the fills of plans with their standings, inside the transaction. By plan. */
export async function readStandings(
	db: Queryable,
	execution: Pick<Execution, "held">,
	planIds: readonly string[],
): Promise<Map<string, Standing[]>> {
	const fills = await readFills(db, planIds);
	const ids = fills.flatMap(({ intentId, pastIntentIds }) => [intentId, ...pastIntentIds]);
	const held = ids.length === 0 ? [] : await execution.held(db, ids);
	const byId = new Map(held.map((one) => [one.intentId, one]));
	return Map.groupBy(
		fills.map((fill) => standingOf(fill, byId)),
		({ planId }) => planId,
	);
}

/** Returns true if one of these intents may still spend, inside the transaction. */
export async function isAnyOpen(
	db: Queryable,
	execution: Pick<Execution, "held">,
	intentIds: readonly string[],
): Promise<boolean> {
	if (intentIds.length === 0) return false;
	const held = await execution.held(db, intentIds);
	return held.some(isOpen);
}

/**
 * Adds fills up. An open one counts with the most that it may spend, from the moment it is made.
 */
export function totalsOf(standings: readonly Standing[]): Totals {
	const totals = { spentRaw: 0n, filledCount: 0, committedRaw: 0n, committedCount: 0 };
	for (const { heldRaw, openRaw } of standings) {
		totals.spentRaw += heldRaw;
		totals.committedRaw += heldRaw + openRaw;
		if (heldRaw > 0n) totals.filledCount++;
		if (heldRaw + openRaw > 0n) totals.committedCount++;
	}
	return totals;
}

function standingOf(fill: Fill, byId: ReadonlyMap<string, Held>): Standing {
	const { intentId, pastIntentIds, priceRaw } = fill;
	const newest = byId.get(intentId);
	const newestRaw = newest?.raw ?? 0n;
	const heldRaw = pastIntentIds.reduce((sum, id) => sum + (byId.get(id)?.raw ?? 0n), newestRaw);
	const isNewestOpen = isOpen(newest);
	const mayCome = isNewestOpen || newest?.status === "dry_run";
	return {
		...fill,
		status: newest?.status ?? "created",
		errorCode: newest?.errorCode ?? null,
		error: newest?.error ?? null,
		// A payment that was given up may be mined later: then its token is being bought.
		isOpen: isNewestOpen || pastIntentIds.some((id) => isOpen(byId.get(id))),
		heldRaw,
		openRaw: mayCome && priceRaw > newestRaw ? priceRaw - newestRaw : 0n,
	};
}

/** Returns true unless the intent has ended. An unreadable one counts as open. */
function isOpen(held: Held | undefined): boolean {
	return held === undefined || !ENDED.has(held.status);
}
