import type { Prng } from "#test/sandbox/createPrng.ts";
import type { NodeKnobs } from "#test/sim/node/createSimNode.ts";
import { type LieName, lies } from "#test/sim/node/lies.ts";
import type { DatabaseKnobs } from "#test/sim/process/createSimDatabase.ts";

export const FEEDS = ["polling", "sockets", "both"] as const;
export type Feed = (typeof FEEDS)[number];

/** How much of what goes wrong in one seed. Drawn from the seed, and printed when it fails. */
export type Knobs = {
	steps: number;
	processes: number;
	nodes: number;
	/** How processes hear of heads; with `both` they poll as soon as a socket is silent. */
	feed: Feed;
	node: NodeKnobs;
	database: DatabaseKnobs;
	busLossRate: number;
	/** How many blocks a step mines at most; now and then far more come at once. */
	blocksAtOnce: number;
	/** For each step: how likely it is one of these. The rest mines. */
	reorgRate: number;
	/** Among reorgs: how many reach far back. */
	deepRate: number;
	processRate: number;
	nodeRate: number;
	/** Everybody is away while the chain grows by more than a lane catches up with in order. */
	leaps: boolean;
	/** A last fork leaves the chain shorter than it was, before it grows on. */
	endsShort: boolean;
};

const LIES = Object.keys(lies).filter((name): name is LieName => name in lies);

/** Most seeds have several kinds of trouble at once; some have hardly any. */
export function drawKnobs(prng: Prng): Knobs {
	const rate = (...rates: number[]) => prng.pick(rates);
	return {
		steps: 10 + prng.int(20),
		processes: 1 + prng.int(3),
		nodes: 1 + prng.int(3),
		feed: prng.pick(["polling", "polling", "both"] as const),
		node: {
			errorRate: rate(0, 0.02, 0.1),
			delayRate: rate(0, 0.4, 0.8),
			lieRate: rate(0, 0.03, 0.1),
			lies: LIES.filter(() => prng.chance(0.6)),
			splitRate: rate(0, 0, 0.1),
			rangeMax: rate(2_000, 20, 3),
			keepsOrphans: prng.chance(0.5),
			// On the fastest way there is an answer comes before anything could be taken in early.
			roundTripMs: rate(0, 0, 25),
			pushLieRate: rate(0, 0.1, 0.5),
		},
		database: {
			errorRate: rate(0, 0, 0.01, 0.03),
			failedCommitRate: rate(0, 0.05, 0.15),
			lostCommitRate: rate(0, 0.05, 0.2),
			delayRate: rate(0, 0.1, 0.3),
		},
		busLossRate: rate(0, 0.3, 1),
		blocksAtOnce: rate(1, 4, 4),
		reorgRate: rate(0, 0.1, 0.3),
		deepRate: rate(0, 0, 0.3),
		processRate: rate(0, 0.1, 0.3),
		nodeRate: rate(0, 0.1, 0.25),
		leaps: prng.chance(0.12),
		endsShort: prng.chance(0.3),
	};
}
