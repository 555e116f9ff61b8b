import { LEAN_FIRST_MS, LEAN_OVERLAP_MS } from "#plugins/market-index/sync/limits.ts";
import type { ClaimedTurn } from "#plugins/market-index/sync/walk/ClaimedTurn.ts";
import { knownNewestMs } from "#plugins/market-index/sync/walk/knownNewestMs.ts";
import type { ProviderEventType } from "#plugins/provider/contract.ts";

/** The kinds of events that may be a sale or a mint: some mints come as transfers. */
const ALL = ["sale", "mint", "transfer"] as const;
/**
 * What a level chain leaves to the provider: transfers, and sales of venues that no lane decodes.
 */
const NOT_ON_CHAIN = ["sale", "transfer"] as const;

/**
 * Begins a walk from now down to what is stored, with a little overlap. It also includes the newest
 * event that the list had before, of the same kinds: a list that has gone back in time lacks it.
 * Never more than a day.
 */
export function beginWalk(turn: ClaimedTurn, nowMs: number): NonNullable<ClaimedTurn["walk"]> {
	const { eventsUntil, pages } = turn;
	const types = typesOf(turn);
	const dayMs = nowMs - LEAN_FIRST_MS;
	const heldMs = eventsUntil ? eventsUntil.getTime() - LEAN_OVERLAP_MS : dayMs;
	const knownMs = Math.min(heldMs, knownNewestMs(turn, types) ?? heldMs);
	const fromMs = Math.max(eventsUntil ? knownMs : heldMs, dayMs);
	return {
		// After the clock was set back only the present moment is read.
		fromMs: Math.min(fromMs, nowMs - LEAN_OVERLAP_MS),
		untilMs: nowMs,
		reachedMs: nowMs,
		topMs: null,
		holeMs: null,
		cursor: null,
		pages,
		idle: 0,
		types,
		baseAt: eventsUntil,
	};
}

/**
 * Returns the kinds to read: while lanes tell sales and mints themselves, only what they cannot
 * know.
 */
function typesOf({ levelFrom, eventsUntil }: ClaimedTurn): readonly ProviderEventType[] {
	const isOnChain = levelFrom !== null && eventsUntil !== null && eventsUntil >= levelFrom;
	return isOnChain ? NOT_ON_CHAIN : ALL;
}
