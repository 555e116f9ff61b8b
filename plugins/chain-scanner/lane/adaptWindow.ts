import {
	LOGS_PER_QUERY_LOW,
	LOGS_PER_QUERY_MAX,
	WINDOW_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";

/** What a lane learned from one query about how many blocks to ask for next. */
export type WindowSignal =
	| { kind: "answered"; logCount: number; blocks: number }
	| {
			kind: "refused";
			/** How many times larger than allowed the answer would have been, where that was said. */
			timesTooLarge?: number | undefined;
	  };

/**
 * The next window. Halved when a query answered more than 10,000 logs or the node refused the
 * range; doubled again, up to 1,000 blocks, when a full window brought few.
 */
export function adaptWindow(window: number, signal: WindowSignal): number {
	if (signal.kind === "refused") {
		let halved = window / 2;
		// As often as the answer's size asks for: each refused answer was made for nothing.
		for (let left = (signal.timesTooLarge ?? 1) / 2; left > 1; left /= 2) halved /= 2;
		return Math.max(WINDOW_BLOCKS_MIN, Math.floor(halved));
	}
	if (signal.logCount > LOGS_PER_QUERY_MAX) {
		return Math.max(WINDOW_BLOCKS_MIN, Math.floor(window / 2));
	}
	const full = signal.blocks >= window;
	if (full && signal.logCount < LOGS_PER_QUERY_LOW) return Math.min(WINDOW_BLOCKS_MAX, window * 2);
	return window;
}
