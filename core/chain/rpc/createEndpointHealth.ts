import type { CallClass } from "#core/chain/rpc/callClassOf.ts";

/**
 * What is known of one endpoint: how fast it answers, how it failed, which blocks it has. Holds no
 * clock and asks nothing: whoever learned something says when.
 */
export type EndpointHealth = {
	/** A request was answered, after this long. */
	answered(callClass: CallClass, durationMs: number, nowMs: number): void;
	/** A question was answered, be it by a no: what failed before is forgiven, not forgotten. */
	succeeded(): void;
	/** Nothing was learned from it. It rests, twice as long after each failure in a row. */
	failed(nowMs: number): void;
	/** It told what cannot be so: nobody is asked later, for longer each time. */
	distrusted(nowMs: number): void;
	/** It differed from others, and may be right: that alone does not put it last. */
	doubted(nowMs: number): void;
	/** It asked not to be asked. */
	putAside(untilMs: number): void;
	/** It named its newest block; answers whether that is older than the one it named before. */
	heardHead(block: number, heard: { bestBlock: number; nowMs: number }): boolean;
	/** It served a block, or said that there is none. */
	has(block: number): void;
	lacks(block: number, nowMs: number): void;

	/** The newest block it is known to have; -1 where none is. */
	headBlock(): number;
	knows(block: number, nowMs: number): "has" | "lacks" | "unknown";
	/** A request's time and what its past adds to it; null while too little is known. */
	costMs(callClass: CallClass, nowMs: number): number | null;
	/** It failed and has not answered since, or was caught lying of late. */
	isSuspect(nowMs: number): boolean;
	/** When a suspect is worth another try. */
	restsUntilMs(): number;
	asideUntilMs(): number;
	/** When a request was last answered. */
	answeredAtMs(): number;
};

/** Weight of the newest sample: five requests decide most of the figure. */
const NEWEST_WEIGHT = 0.3;
/** The first request also pays for the connection. */
const SAMPLES_MIN = 3;
const SAMPLES_KEPT_MS = 10 * 60_000;
const PENALTY_HALF_LIFE_MS = 60_000;
const FAILURE_PENALTY_MS = 1_000;
const DISTRUST_PENALTY_MS = 10_000;
const LAG_PENALTY_PER_BLOCK_MS = 50;
const LAG_BLOCKS_MAX = 20;
const REST_MIN_MS = 1_000;
const REST_MAX_MS = 60_000;
const DISTRUST_REST_MIN_MS = 30_000;
const DISTRUST_REST_MAX_MS = 10 * 60_000;
/** "There is no such block" is soon no longer true. */
const LACK_BELIEVED_MS = 3_000;
/** A node without a block this far below its head has pruned it: that is not lag. */
const HISTORY_BLOCKS = 64;

export function createEndpointHealth(): EndpointHealth {
	const latency = { light: createAverage(), logs: createAverage() };
	const penalty = createDecaying(PENALTY_HALF_LIFE_MS);
	const lag = createDecaying(PENALTY_HALF_LIFE_MS);
	const blocks = createKnownBlocks();
	let answeredAtMs = Number.NEGATIVE_INFINITY;
	let asideUntilMs = Number.NEGATIVE_INFINITY;
	let failures = 0;
	let failureRestsUntilMs = Number.NEGATIVE_INFINITY;
	let lies = 0;
	let distrustedUntilMs = Number.NEGATIVE_INFINITY;

	return {
		...blocks,
		answered(callClass, durationMs, nowMs) {
			latency[callClass].add(durationMs, nowMs);
			answeredAtMs = nowMs;
		},
		succeeded() {
			failures = 0;
		},
		failed(nowMs) {
			const restMs = Math.min(REST_MIN_MS * 2 ** Math.min(failures, 10), REST_MAX_MS);
			failures++;
			failureRestsUntilMs = nowMs + restMs;
			penalty.add(FAILURE_PENALTY_MS, nowMs);
		},
		distrusted(nowMs) {
			if (nowMs - distrustedUntilMs > DISTRUST_REST_MAX_MS) lies = 0;
			const restMs = Math.min(DISTRUST_REST_MIN_MS * 2 ** lies, DISTRUST_REST_MAX_MS);
			lies = Math.min(lies + 1, 10);
			distrustedUntilMs = nowMs + restMs;
			penalty.add(DISTRUST_PENALTY_MS, nowMs);
		},
		doubted: (nowMs) => penalty.add(FAILURE_PENALTY_MS, nowMs),
		putAside(untilMs) {
			asideUntilMs = Math.max(asideUntilMs, untilMs);
		},
		heardHead(block, { bestBlock, nowMs }) {
			const behind = Math.min(Math.max(bestBlock - block, 0), LAG_BLOCKS_MAX);
			lag.set(behind * LAG_PENALTY_PER_BLOCK_MS, nowMs);
			return blocks.heard(block, behind, nowMs);
		},
		costMs(callClass, nowMs) {
			const durationMs = latency[callClass].value(nowMs);
			return durationMs === null ? null : durationMs + penalty.value(nowMs) + lag.value(nowMs);
		},
		isSuspect: (nowMs) => failures > 0 || nowMs < distrustedUntilMs,
		restsUntilMs: () => Math.max(failureRestsUntilMs, distrustedUntilMs),
		asideUntilMs: () => asideUntilMs,
		answeredAtMs: () => answeredAtMs,
	};
}

function createKnownBlocks() {
	let headBlock = -1;
	let namedBlock = -1;
	let lack = { block: 0, atMs: Number.NEGATIVE_INFINITY };

	function lacks(block: number, nowMs: number) {
		if (block < headBlock - HISTORY_BLOCKS) return;
		headBlock = Math.min(headBlock, block - 1);
		lack = { block, atMs: nowMs };
	}
	return {
		has(block: number) {
			headBlock = Math.max(headBlock, block);
		},
		lacks,
		heard(block: number, behind: number, nowMs: number): boolean {
			const jumpedBack = block < namedBlock;
			namedBlock = headBlock = block;
			if (behind > 0) lacks(block + 1, nowMs);
			return jumpedBack;
		},
		headBlock: () => headBlock,
		knows(block: number, nowMs: number) {
			if (block <= headBlock) return "has" as const;
			const lacked = block >= lack.block && nowMs - lack.atMs < LACK_BELIEVED_MS;
			return lacked ? ("lacks" as const) : ("unknown" as const);
		},
	};
}

/** An exponentially weighted average, unknown until it rests on a few samples, and once old. */
function createAverage() {
	let average = 0;
	let samples = 0;
	let addedAtMs = Number.NEGATIVE_INFINITY;
	return {
		add(sample: number, nowMs: number) {
			average = samples === 0 ? sample : average + NEWEST_WEIGHT * (sample - average);
			samples++;
			addedAtMs = nowMs;
		},
		value(nowMs: number): number | null {
			return samples < SAMPLES_MIN || nowMs - addedAtMs > SAMPLES_KEPT_MS ? null : average;
		},
	};
}

/** A sum whose parts fade: half of each is gone after the half-life. */
function createDecaying(halfLifeMs: number) {
	let sum = 0;
	let atMs = 0;
	const value = (nowMs: number) => sum * 0.5 ** (Math.max(nowMs - atMs, 0) / halfLifeMs);
	const set = (to: number, nowMs: number) => {
		sum = to;
		atMs = nowMs;
	};
	return { value, set, add: (part: number, nowMs: number) => set(value(nowMs) + part, nowMs) };
}
