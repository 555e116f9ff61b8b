// Decides how a walk through the provider's list of events begins and continues.

import { PROVIDER_PAGE, type SyncedCollection } from "#plugins/market-index/pace.ts";
import {
	LEAN_FIRST_MS,
	LEAN_OVERLAP_MS,
	TURN_REST_MAX_MS,
	TURN_REST_MS,
	WALK_IDLE_MAX,
	WALK_LOST_AFTER,
	WALK_PAGES_MAX,
	WALK_SLACK_MS,
} from "#plugins/market-index/sync/bounds.ts";
import type { ProviderEventType } from "#plugins/provider/contract.ts";

/** A turn: the exclusive right to read one page of a collection's walk. */
export type ClaimedTurn = SyncedCollection & {
	providerSlug: string;
	/** The number of the turn: the walk belongs to the holder of the highest. */
	turn: number;
	/** The time of the turn before; a turn that is given back restores it. */
	leanAt: Date | null;
	/** The events between these times are stored; null before the first walk was done. */
	eventsFrom: Date | null;
	eventsUntil: Date | null;
	/** The newest event in the list when it was last read, and for which kinds that was. */
	newestAt: Date | null;
	newestTypes: readonly ProviderEventType[] | null;
	/** The walk under way; null where a new one begins. */
	walk: (Walk & { baseAt: Date | null; types: readonly ProviderEventType[] }) | null;
	/** Pages that earlier walks read without a result. */
	pages: number;
	/** Lists in a row that had gone back in time. */
	backwards: number;
	/** Turns in a row without a result. */
	failures: number;
	/** Since when the lanes of its chain are level with the head; null while they are not. */
	levelFrom: Date | null;
};

/** A walk through the provider's list of a collection's events, newest first. */
export type Walk = {
	/** The walk reads the events between these two times. */
	fromMs: number;
	untilMs: number;
	/** The newest event so far; null where there was none. */
	topMs: number | null;
	/** All readable events from here to `untilMs` are stored. */
	reachedMs: number;
	/** The newest unreadable row: only what is above it counts as stored. Null without one. */
	holeMs: number | null;
	/**
	 * The cursor of the next page; null where the walk continues by time, from `reachedMs` downwards.
	 */
	cursor: string | null;
	pages: number;
	/** Pages in a row that brought it no further. */
	idle: number;
};

/** A page as it arrived: the times of its events in its order, and the next cursor. */
type WalkedPage = {
	timesMs: readonly number[];
	/** Counts the unreadable rows of the page. */
	unreadable?: number | undefined;
	/** The times of the unreadable rows; null for each without a time. */
	unreadableAtMs?: readonly (number | null)[] | undefined;
	next: string | null;
	/** True: the list broke off, so that a missing next page is not its end. */
	isBroken?: boolean | undefined;
};

/** `stuck`: it ends where it is, and what lies below is not covered. */
export type Step = { kind: "more" | "done" | "stuck"; walk: Walk };

/** The kinds of events that may be a sale or a mint: some mints come as transfers. */
const ALL = ["sale", "mint", "transfer"] as const;
/**
 * Lists the events that only the provider reports while lanes are level: transfers, and sales of
 * venues that no lane decodes.
 */
const NOT_ON_CHAIN = ["sale", "transfer"] as const;

/**
 * Returns a walk's state after a page. It is done where the list ends, or where the page is older
 * than what is wanted; nothing else counts as the end.
 *
 * Cursors expire, lead to themselves or back to the first page, and lists omit the next one: if a
 * page is not the expected one, the walk continues by time. New events meanwhile only push the list
 * down: some come twice, none is left out. An unreadable row is a hole: the walk continues below
 * it, and only covers what is above.
 */
export function nextStep(before: Walk, page: WalkedPage): Step {
	const { next } = page;
	const isByCursor = before.cursor !== null;
	// Events older than the wanted time say nothing about how far the list was read.
	const timesMs = page.timesMs.filter((timeMs) => timeMs >= before.fromMs - WALK_SLACK_MS);
	const isBelow = page.timesMs.length > 0 && timesMs.length === 0;
	// A last page that is full, or empty by a cursor, may have a next one that was not named.
	const isFull = page.timesMs.length + (page.unreadable ?? 0) >= PROVIDER_PAGE;
	const isEmpty = isByCursor && page.timesMs.length === 0;
	const isSuspect = page.isBroken === true || isFull || isEmpty;
	const isAtTop = isByCursor && isBackAtTheTop(before, timesMs);
	const holeMs = holeOf(before, page);
	if (isBelow || (next === null && !isSuspect && !isAtTop)) {
		const pages = before.pages + 1;
		const walk = { ...before, holeMs, pages, idle: 0, reachedMs: before.fromMs, cursor: null };
		return { kind: "done", walk };
	}
	const lowestMs = isAtTop ? before.reachedMs : (downTo(timesMs) ?? before.reachedMs);
	const reachedMs = Math.max(Math.min(before.reachedMs, lowestMs), before.fromMs);
	const idle = reachedMs < before.reachedMs ? 0 : before.idle + 1;
	// Among many events of one second only the cursor leads on: by time it would begin again.
	const isIdle = isByCursor && idle > 0 && !isInOneMoment(before, timesMs);
	const isLost = isAtTop || (isIdle && idle % WALK_LOST_AFTER === 0);
	const pages = before.pages + 1;
	const walk = { ...before, holeMs, pages, idle, reachedMs, cursor: isLost ? null : next };
	const isStuck = idle >= WALK_IDLE_MAX || pages >= WALK_PAGES_MAX;
	return { kind: isStuck ? "stuck" : "more", walk };
}

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
 * Returns the time of the newest event that the list had for exactly these kinds; null where other
 * kinds were read last. A newest sale says nothing about a list with mints: a running mint would be
 * read again down to that sale, each time.
 */
export function knownNewestMs(
	{ newestAt, newestTypes }: Pick<ClaimedTurn, "newestAt" | "newestTypes">,
	types: readonly ProviderEventType[],
): number | null {
	const isSame =
		newestTypes?.length === types.length && newestTypes.every((type) => types.includes(type));
	return isSame ? (newestAt?.getTime() ?? null) : null;
}

/**
 * Returns how long a walk rests after another turn without a result, by the number of those before
 * in a row, in ms.
 */
export function restMs(failures: number): number {
	return Math.min(TURN_REST_MS * 2 ** Math.min(Math.max(failures, 0), 10), TURN_REST_MAX_MS);
}

/** Says whether a cursor led to the first page again. */
function isBackAtTheTop(walk: Walk, timesMs: readonly number[]): boolean {
	const { topMs, reachedMs } = walk;
	if (topMs === null || timesMs.length === 0) return false;
	return Math.max(...timesMs) >= topMs && Math.min(...timesMs) > reachedMs + WALK_SLACK_MS;
}

/**
 * Returns the newest unreadable row of all pages so far. One without a time may be the newest of
 * its page.
 */
function holeOf({ holeMs, fromMs, reachedMs }: Walk, page: WalkedPage): number | null {
	const { unreadable = 0, unreadableAtMs = Array<null>(unreadable).fill(null) } = page;
	const asked = unreadableAtMs.map((atMs) => atMs ?? reachedMs).filter((atMs) => atMs >= fromMs);
	const known = [...asked, ...(holeMs === null ? [] : [holeMs])];
	return known.length > 0 ? Math.max(...known) : null;
}

/**
 * Returns the time down to which a page is complete; null where it has no event, or does not begin
 * with the newest. A tenth of a long page is ignored: one event with a wrong time must not make all
 * above it look complete.
 */
function downTo(timesMs: readonly number[]): number | null {
	const half = Math.ceil(timesMs.length / 2);
	const upper = medianOf(timesMs.slice(0, half));
	const lower = medianOf(timesMs.slice(half));
	if (upper !== null && lower !== null && lower > upper + WALK_SLACK_MS) return null;
	const newestFirst = timesMs.toSorted((a, b) => b - a);
	const index = Math.min(Math.floor(timesMs.length * 0.9), timesMs.length - 1);
	return newestFirst[index] ?? null;
}

function medianOf(timesMs: readonly number[]): number | null {
	return timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length / 2)] ?? null;
}

/** Says whether nearly all of a page (nine tenths) is at the very time that was reached. */
function isInOneMoment({ reachedMs }: Walk, timesMs: readonly number[]): boolean {
	const newestFirst = timesMs.toSorted((a, b) => b - a);
	const highMs = newestFirst[Math.floor(newestFirst.length / 10)];
	return highMs !== undefined && highMs <= reachedMs;
}

/**
 * Returns the kinds to read: while lanes read sales and mints themselves, only what they cannot
 * know.
 */
function typesOf({ levelFrom, eventsUntil }: ClaimedTurn): readonly ProviderEventType[] {
	const isOnChain = levelFrom !== null && eventsUntil !== null && eventsUntil >= levelFrom;
	return isOnChain ? NOT_ON_CHAIN : ALL;
}
