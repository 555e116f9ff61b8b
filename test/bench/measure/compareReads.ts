import type { ReadPath } from "#test/bench/measure/readPaths.ts";
import { percentile } from "#test/bench/report/statistics.ts";

export type ReadTimes = { p50Ms: number; p99Ms: number };

/** One read at both sizes of index. */
export type ReadComparison = {
	name: string;
	calls: number;
	small: ReadTimes;
	large: ReadTimes;
	/** Large over small. */
	p50Ratio: number;
	p99Ratio: number;
};

export type Ask = (path: string) => Promise<string>;

const WARM_UP_CALLS = 20;

/** The total time of a fast read, beyond its least calls. */
const READ_MS_MAX = 4_000;

/**
 * Times the same calls on a small and on a large index, in turn: other work of the machine slows
 * both. A fast read is called more often, since its slowest calls are the machine's: one in a
 * hundred of 200 is the third worst.
 */
export async function compareReads(
	asks: { small: Ask; large: Ask },
	paths: readonly ReadPath[],
	{ callsMin, callsMax = callsMin }: { callsMin: number; callsMax?: number },
): Promise<ReadComparison[]> {
	const compared: ReadComparison[] = [];
	for (const path of paths) {
		const small: number[] = [];
		const large: number[] = [];
		const endMs = performance.now() + READ_MS_MAX;
		for (let turn = -WARM_UP_CALLS; turn < callsMax; turn++) {
			if (turn >= callsMin && performance.now() > endMs) break;
			const url = path.of(turn + WARM_UP_CALLS);
			const smallMs = await timed(asks.small, url);
			const largeMs = await timed(asks.large, url);
			if (turn < 0) continue;
			small.push(smallMs);
			large.push(largeMs);
		}
		const times = { small: timesOf(small), large: timesOf(large) };
		compared.push({
			name: path.name,
			calls: small.length,
			...times,
			p50Ratio: times.large.p50Ms / times.small.p50Ms,
			p99Ratio: times.large.p99Ms / times.small.p99Ms,
		});
	}
	return compared;
}

async function timed(ask: Ask, path: string): Promise<number> {
	const beganMs = performance.now();
	await ask(path);
	return performance.now() - beganMs;
}

function timesOf(ms: readonly number[]): ReadTimes {
	return { p50Ms: percentile(ms, 50), p99Ms: percentile(ms, 99) };
}
