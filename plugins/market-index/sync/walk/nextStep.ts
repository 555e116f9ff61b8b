import { PROVIDER_PAGE } from "#plugins/market-index/pace/limits.ts";
import {
	WALK_IDLE_MAX,
	WALK_LOST_AFTER,
	WALK_PAGES_MAX,
	WALK_SLACK_MS,
} from "#plugins/market-index/sync/limits.ts";
import type { Walk } from "#plugins/market-index/sync/walk/Walk.ts";

/** A page as it came: the times of its events in its order, and where the next one is. */
export type WalkedPage = {
	timesMs: readonly number[];
	/** Rows of it that could not be read. */
	unreadable?: number | undefined;
	/** When these happened; null for each that does not tell. */
	unreadableAtMs?: readonly (number | null)[] | undefined;
	next: string | null;
	/** The list broke off: that there is no next page is not its end. */
	isBroken?: boolean | undefined;
};

/** `stuck`: it ends where it is, and what lies below is not covered. */
export type Step = { kind: "more" | "done" | "stuck"; walk: Walk };

/**
 * Returns where a walk stands after a page. It is done where the list ends, or where the page is
 * older than what is asked for; nothing else is believed to be the end.
 *
 * Cursors expire, lead to themselves or back to the first page, and lists leave the next one out:
 * wherever a page is not the one that must follow, the walk goes on by time. New events that come
 * meanwhile only push the list down: some are told twice, none is left out. A row that cannot be
 * read is a hole: the walk goes on below it, and only holds what is above.
 */
export function nextStep(before: Walk, page: WalkedPage): Step {
	const { next } = page;
	const isByCursor = before.cursor !== null;
	// What nobody asked for says nothing of how far the list was told.
	const timesMs = page.timesMs.filter((timeMs) => timeMs >= before.fromMs - WALK_SLACK_MS);
	const isBelow = page.timesMs.length > 0 && timesMs.length === 0;
	// A last page that is full, or empty behind a cursor, may be one whose next one was not named.
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
	// In a crowd of events of one second the cursor alone leads on: by time it would begin again.
	const isIdle = isByCursor && idle > 0 && !isInOneMoment(before, timesMs);
	const isLost = isAtTop || (isIdle && idle % WALK_LOST_AFTER === 0);
	const pages = before.pages + 1;
	const walk = { ...before, holeMs, pages, idle, reachedMs, cursor: isLost ? null : next };
	const isStuck = idle >= WALK_IDLE_MAX || pages >= WALK_PAGES_MAX;
	return { kind: isStuck ? "stuck" : "more", walk };
}

/**
 * The newest row that could not be read, of all pages so far. One that does not tell its time may
 * be the newest of its page.
 */
function holeOf({ holeMs, fromMs, reachedMs }: Walk, page: WalkedPage): number | null {
	const { unreadable = 0, unreadableAtMs = Array<null>(unreadable).fill(null) } = page;
	const asked = unreadableAtMs.map((atMs) => atMs ?? reachedMs).filter((atMs) => atMs >= fromMs);
	const known = [...asked, ...(holeMs === null ? [] : [holeMs])];
	return known.length > 0 ? Math.max(...known) : null;
}

/** Whether a cursor led to the first page again. */
function isBackAtTheTop(walk: Walk, timesMs: readonly number[]): boolean {
	const { topMs, reachedMs } = walk;
	if (topMs === null || timesMs.length === 0) return false;
	return Math.max(...timesMs) >= topMs && Math.min(...timesMs) > reachedMs + WALK_SLACK_MS;
}

/** Tells whether nearly all of a page (nine tenths) is of the very time that was reached. */
function isInOneMoment({ reachedMs }: Walk, timesMs: readonly number[]): boolean {
	const newestFirst = timesMs.toSorted((a, b) => b - a);
	const highMs = newestFirst[Math.floor(newestFirst.length / 10)];
	return highMs !== undefined && highMs <= reachedMs;
}

/**
 * Returns the time down to which a page tells everything; null where it has no event, or does not
 * begin with the newest. A tenth of a long page is left out of account: one event with a wrong
 * time must not make all above it look as if it had been told.
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
