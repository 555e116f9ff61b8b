import { PROVIDER_PAGE } from "#plugins/market-index/pace/limits.ts";
import {
	WALK_IDLE_MAX,
	WALK_LOST_AFTER,
	WALK_PAGES_MAX,
	WALK_SLACK_MS,
} from "#plugins/market-index/sync/limits.ts";
import type { Walk } from "#plugins/market-index/sync/walk/Walk.ts";

/** A page as it arrived: the times of its events in its order, and the next cursor. */
export type WalkedPage = {
	timesMs: readonly number[];
	/** Its unreadable rows. */
	unreadable?: number | undefined;
	/** When these happened; null for each without a time. */
	unreadableAtMs?: readonly (number | null)[] | undefined;
	next: string | null;
	/** True: the list broke off, so that a missing next page is not its end. */
	isBroken?: boolean | undefined;
};

/** `stuck`: it ends where it is, and what lies below is not covered. */
export type Step = { kind: "more" | "done" | "stuck"; walk: Walk };

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
	// Events outside the wanted time say nothing about how far the list was read.
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
 * Returns the newest unreadable row of all pages so far. One without a time may be the newest of
 * its page.
 */
function holeOf({ holeMs, fromMs, reachedMs }: Walk, page: WalkedPage): number | null {
	const { unreadable = 0, unreadableAtMs = Array<null>(unreadable).fill(null) } = page;
	const asked = unreadableAtMs.map((atMs) => atMs ?? reachedMs).filter((atMs) => atMs >= fromMs);
	const known = [...asked, ...(holeMs === null ? [] : [holeMs])];
	return known.length > 0 ? Math.max(...known) : null;
}

/** Says whether a cursor led to the first page again. */
function isBackAtTheTop(walk: Walk, timesMs: readonly number[]): boolean {
	const { topMs, reachedMs } = walk;
	if (topMs === null || timesMs.length === 0) return false;
	return Math.max(...timesMs) >= topMs && Math.min(...timesMs) > reachedMs + WALK_SLACK_MS;
}

/** Says whether nearly all of a page (nine tenths) is at the very time that was reached. */
function isInOneMoment({ reachedMs }: Walk, timesMs: readonly number[]): boolean {
	const newestFirst = timesMs.toSorted((a, b) => b - a);
	const highMs = newestFirst[Math.floor(newestFirst.length / 10)];
	return highMs !== undefined && highMs <= reachedMs;
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
