import type { Clock } from "#core/clock/Clock.ts";
import { BLOCK_DEFAULT_MAX_MS, BLOCK_DEFAULT_MS } from "#plugins/provider/limits.ts";

/** Calls that the provider counts separately: one used-up bucket leaves the other as it is. */
export type Bucket = "read" | "fulfilment";

/** For how long the provider has asked us to wait, by bucket. */
export type Blocks = {
	leftMs(bucket: Bucket): number;
	/** Records a refusal; `ms` is the wait in its answer. Returns for how long to wait, in ms. */
	refuse(bucket: Bucket, ms: number | null): number;
	/** Records an answer, which may say that it was the last one allowed for now. */
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
		// Never longer than the wait itself, so that a clock that is set back does not block for hours.
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
