// Records what is known about one endpoint: its speed, failures and blocks.

import type { CallClass } from "#core/chain/rpc/Rpc.ts";

/**
 * Holds what is known about one endpoint: its speed, failures, and blocks. It has no clock and
 * makes no calls: callers report facts with their time.
 */
export type EndpointHealth = {
	/** Reports a request that was answered after this long. */
	answered(callClass: CallClass, durationMs: number, nowMs: number): void;
	/**
	 * Reports that a question was answered, even by a refusal: it is no longer failing, but penalties
	 * stay.
	 */
	succeeded(): void;
	/**
	 * Reports that the endpoint gave no usable answer: it is left alone for a while, twice as long
	 * after each failure in a row.
	 */
	failed(nowMs: number): void;
	/** Reports an impossible answer: it is asked last, for longer each time. */
	distrusted(nowMs: number): void;
	/**
	 * Reports that the endpoint differed from others, and may be right: it is not asked last for it.
	 */
	doubted(nowMs: number): void;
	/** Reports until when the endpoint asked not to be called. */
	putAside(untilMs: number): void;
	/**
	 * Reports the newest block it named; returns whether that is older than the one it named before.
	 */
	heardHead(block: number, heard: { bestBlock: number; nowMs: number }): boolean;
	/** Reports that it served a block, or that it lacks one. */
	has(block: number): void;
	lacks(block: number, nowMs: number): void;

	/** Returns the newest block that it is known to have; -1 if none. */
	headBlock(): number;
	knows(block: number, nowMs: number): "has" | "lacks" | "unknown";
	/** Returns a request's expected time; null while too little is known. */
	latencyMs(callClass: CallClass, nowMs: number): number | null;
	/** Returns a request's expected time plus penalties; null while too little is known. */
	costMs(callClass: CallClass, nowMs: number): number | null;
	/** Returns true if it failed and has not answered since, or recently lied. */
	isSuspect(nowMs: number): boolean;
	/** Returns when a suspect may be tried again. */
	restsUntilMs(): number;
	asideUntilMs(): number;
	/** Returns when a request was last answered. */
	answeredAtMs(): number;
	/** Returns true if even its fastest answer took as long as a distant network takes. */
	isFar(): boolean;
};

/** The weight of the newest sample: five requests decide most of the figure. */
const NEWEST_WEIGHT = 0.3;
/** The first request includes opening the connection. */
const SAMPLES_MIN = 3;
const SAMPLES_KEPT_MS = 10 * 60_000;
/** A node of one's own, in the same building, answers a small question sooner. */
const FAR_MS = 20;
const PENALTY_HALF_LIFE_MS = 60_000;
const FAILURE_PENALTY_MS = 1_000;
const DISTRUST_PENALTY_MS = 10_000;
const LAG_PENALTY_PER_BLOCK_MS = 50;
const LAG_BLOCKS_MAX = 20;
const REST_MIN_MS = 1_000;
const REST_MAX_MS = 60_000;
const DISTRUST_REST_MIN_MS = 30_000;
const DISTRUST_REST_MAX_MS = 10 * 60_000;
/** "There is no such block" soon stops being true. */
const LACK_BELIEVED_MS = 3_000;
/** A node without a block this far below its head has pruned it: that is not lag. */
const HISTORY_BLOCKS = 64;

/** Makes the record of one endpoint, of which nothing is known yet. */
export function createEndpointHealth(): EndpointHealth {
	const latency = { light: createAverage(), logs: createAverage() };
	const penalty = createDecaying(PENALTY_HALF_LIFE_MS);
	const lag = createDecaying(PENALTY_HALF_LIFE_MS);
	const blocks = createKnownBlocks();
	let answers = 0;
	let fastestMs = Number.POSITIVE_INFINITY;
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
			answers++;
			fastestMs = Math.min(fastestMs, durationMs);
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
		latencyMs: (callClass, nowMs) => latency[callClass].value(nowMs),
		costMs(callClass, nowMs) {
			const durationMs = latency[callClass].value(nowMs);
			return durationMs === null ? null : durationMs + penalty.value(nowMs) + lag.value(nowMs);
		},
		isSuspect: (nowMs) => failures > 0 || nowMs < distrustedUntilMs,
		restsUntilMs: () => Math.max(failureRestsUntilMs, distrustedUntilMs),
		asideUntilMs: () => asideUntilMs,
		answeredAtMs: () => answeredAtMs,
		isFar: () => answers >= SAMPLES_MIN && fastestMs >= FAR_MS,
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

/**
 * Makes an exponentially weighted average, unknown until it has a few samples, and when it is old.
 */
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

/** Makes a sum whose parts decay: half of each is gone after the half-life. */
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
