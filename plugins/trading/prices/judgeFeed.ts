import { COHORT_MIN, HEARTBEAT_MS, OPENING_MS } from "#plugins/trading/prices/limits.ts";
import type { MarketHours } from "#plugins/trading/prices/marketHours.ts";

/** What a feed said last; null where it said nothing that can be a price. */
export type FeedReading = { updatedAtMs: number } | null;

export type FeedState =
	/** What it said is the price now. */
	| { kind: "open"; ageMs: number }
	/** The market is closed, or stands still: it is the last price. */
	| { kind: "closed"; ageMs: number }
	/** It says nothing, or fell silent while others speak: the price is not known. */
	| { kind: "silent" };

export type JudgeOptions = {
	nowMs: number;
	hours: MarketHours;
	/** Without a word for so long, a feed is silent, if others speak. */
	silentMs: number;
};

/**
 * Says what a stock feed's last answer is worth now. Pure.
 *
 * A fixed age is of no use: it flaps on each weekend and misses a feed that died at noon. So three
 * things decide: the market's hours, whether the feed spoke since the market opened, and the
 * cohort. One that is silent while half of the others speak is not believed; where all are silent,
 * the market stands still, whatever the calendar says.
 */
export function judgeFeed(
	reading: FeedReading,
	/** Readings of all other feeds of the same market. */
	cohort: readonly FeedReading[],
	{ nowMs, hours, silentMs }: JudgeOptions,
): FeedState {
	if (reading === null) return { kind: "silent" };
	const ageMs = ageOf(reading, nowMs);
	if (!hours.isOpen(nowMs)) return { kind: "closed", ageMs };
	const others = cohort.filter((other) => other !== null);
	const canTell = others.length >= COHORT_MIN;
	const share = (count: number) => count * 2 >= others.length;
	const openedAtMs = hours.openedAt(nowMs);
	if (openedAtMs !== null && reading.updatedAtMs < openedAtMs) {
		const spoke = others.filter(({ updatedAtMs }) => updatedAtMs >= openedAtMs).length;
		const isLate = nowMs - openedAtMs > OPENING_MS;
		if (isLate && canTell && share(spoke)) return { kind: "silent" };
		// Without a cohort a feed that says nothing all day is dead, and not the market.
		if (!canTell && nowMs - openedAtMs > HEARTBEAT_MS) return { kind: "silent" };
		return { kind: "closed", ageMs };
	}
	if (ageMs > silentMs && canTell) {
		const speaking = others.filter((other) => ageOf(other, nowMs) <= silentMs).length;
		if (speaking === 0) return { kind: "closed", ageMs };
		if (share(speaking)) return { kind: "silent" };
	}
	return ageMs > HEARTBEAT_MS ? { kind: "silent" } : { kind: "open", ageMs };
}

/** Chains' clocks may run ahead of ours: that is no age. */
function ageOf({ updatedAtMs }: { updatedAtMs: number }, nowMs: number): number {
	return Math.max(0, nowMs - updatedAtMs);
}
