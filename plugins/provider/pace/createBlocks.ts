import type { Clock } from "#core/clock/Clock.ts";
import { BLOCK_DEFAULT_MAX_MS, BLOCK_DEFAULT_MS } from "#plugins/provider/limits.ts";

/** What the provider counts apart: running out of one leaves the others as they are. */
export type Bucket = "read" | "fulfilment";

/** How long the provider wants to be left alone, by what it counts apart. */
export type Blocks = {
	leftMs(bucket: Bucket): number;
	/** It refused; `ms` is what its answer named. Answers how long is waited. */
	refuse(bucket: Bucket, ms: number | null): number;
	/** It answered, and may have said with it that this was the last one for now. */
	pass(bucket: Bucket, ms: number | null): void;
};

type State = { untilMs: number; lengthMs: number; refusals: number };

export function createBlocks(clock: Clock): Blocks {
	const states: Record<Bucket, State> = { read: free(), fulfilment: free() };

	function block(state: State, lengthMs: number): void {
		state.untilMs = clock.nowMs() + lengthMs;
		state.lengthMs = lengthMs;
	}
	function leftMs(bucket: Bucket): number {
		const { untilMs, lengthMs } = states[bucket];
		// Never longer than it was, so that a clock set back does not hold us for hours.
		return Math.min(Math.max(untilMs - clock.nowMs(), 0), lengthMs);
	}

	return {
		leftMs,
		refuse(bucket, ms) {
			const state = states[bucket];
			const fallbackMs = Math.min(BLOCK_DEFAULT_MS * 2 ** state.refusals, BLOCK_DEFAULT_MAX_MS);
			// Calls that were under way together are refused together: that counts once.
			if (leftMs(bucket) === 0) state.refusals = Math.min(state.refusals + 1, 16);
			const lengthMs = ms ?? fallbackMs;
			if (lengthMs > leftMs(bucket)) block(state, lengthMs);
			return leftMs(bucket);
		},
		pass(bucket, ms) {
			const state = states[bucket];
			state.refusals = 0;
			if (ms !== null && ms > leftMs(bucket)) block(state, ms);
		},
	};
}

function free(): State {
	return { untilMs: Number.NEGATIVE_INFINITY, lengthMs: 0, refusals: 0 };
}
