import { COHORT_MIN, HEARTBEAT_MS, OPENING_MS } from "#plugins/trading/prices/limits.ts";
import type { MarketHours } from "#plugins/trading/prices/marketHours.ts";

/** The last answer of a feed; null where it is no possible price. */
export type FeedReading = { updatedAtMs: number } | null;

export type FeedState =
	/** Its answer is the current price. */
	| { kind: "open"; ageMs: number }
	/** The market is closed or stands still: its answer is the last price. */
	| { kind: "closed"; ageMs: number }
	/** It has no valid answer, or stopped while other feeds update: the price is unknown. */
	| { kind: "silent" };

export type JudgeOptions = {
	nowMs: number;
	hours: MarketHours;
	/** A feed without an update for this long is silent, if other feeds update. */
	silentMs: number;
};

/**
 * Decides whether a stock feed's last answer is the current price, the last price, or unknown.
 * Pure.
 *
 * A fixed age limit does not work: it raises false alarms each weekend and misses a feed that died
 * at noon. So three things decide: the market's hours, whether the feed updated since the market
 * opened, and the cohort. A feed that is silent while half of the others update is not trusted;
 * where all are silent, the market stands still, whatever the calendar says.
 */
export function judgeFeed(
	reading: FeedReading,
	/** The last answers of all other feeds of the same market. */
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
		// Without a cohort, a feed that is silent all day is dead; the market is not.
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

/** Returns the age in milliseconds, at least 0: the chain's clock may be ahead of ours. */
function ageOf({ updatedAtMs }: { updatedAtMs: number }, nowMs: number): number {
	return Math.max(0, nowMs - updatedAtMs);
}
