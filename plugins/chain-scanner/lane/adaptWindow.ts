import {
	LOGS_PER_QUERY_LOW,
	LOGS_PER_QUERY_MAX,
	WINDOW_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";

/** What a lane learned from one query about how many blocks to ask for next. */
export type WindowSignal =
	| { kind: "answered"; logCount: number; blocks: number }
	| { kind: "refused" };

/**
 * The next window. Halved when a query answered more than 10,000 logs or the node refused the
 * range; doubled again, up to 1,000 blocks, when a full window brought few.
 */
export function adaptWindow(window: number, signal: WindowSignal): number {
	if (signal.kind === "refused" || signal.logCount > LOGS_PER_QUERY_MAX) {
		return Math.max(WINDOW_BLOCKS_MIN, Math.floor(window / 2));
	}
	const full = signal.blocks >= window;
	if (full && signal.logCount < LOGS_PER_QUERY_LOW) return Math.min(WINDOW_BLOCKS_MAX, window * 2);
	return window;
}
