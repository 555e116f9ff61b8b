// Draws from a seed everything that will happen in its run.

import type { Prng } from "#test/sandbox/createPrng.ts";
import { type LieName, lies, type NodeKnobs } from "#test/sim/node/lies.ts";
import type { DatabaseKnobs } from "#test/sim/process/createSimDatabase.ts";

/** How much of what goes wrong in one seed. Drawn from the seed, and printed when it fails. */
export type Knobs = {
	steps: number;
	processes: number;
	nodes: number;
	/** How processes hear of heads; with `both` they poll as soon as a socket is silent. */
	feed: Feed;
	/** Calls count as billed: lanes ask for fewer, and read headers with whole blocks. */
	isScarce: boolean;
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

export type Step = Act & {
	/**
	 * What happens before the next step: so many requests to the nodes, or lanes that have come to
	 * the head; and nothing lasts longer than `msMax`.
	 */
	pause: { requests: number; level: boolean; msMax: number };
};

type Act =
	| { kind: "mine"; blocks: number }
	| { kind: "reorg"; depth: number; length: number; sameTimes: boolean }
	| { kind: "flip" }
	| { kind: "rollback"; depth: number }
	| { kind: "kill" | "stop" | "stall"; process: number; steps: number }
	| { kind: "leap"; blocks: number }
	| { kind: "down" | "swap"; node: number; steps: number }
	| { kind: "lag"; node: number; steps: number; blocks: number }
	| { kind: "stale"; node: number; steps: number }
	| { kind: "refuse"; node: number; steps: number; below: number };

export const FEEDS = ["polling", "sockets", "both"] as const;
export type Feed = (typeof FEEDS)[number];

const LIES = Object.keys(lies).filter((name): name is LieName => name in lies);

const PAUSE_MS_MAX = 60;
const LEVEL_MS_MAX = 500;
/** More than a lane reads in order after it was away; the rest is left to backfill. */
const LEAP_BLOCKS = 1_050;

/** Everything that will happen in one seed, in order. Drawn whole before anything runs. */
export function drawSchedule(prng: Prng, knobs: Knobs): Step[] {
	const steps: Step[] = [];
	const leapAt = knobs.leaps ? prng.int(knobs.steps) : -1;
	for (let index = 0; index < knobs.steps; index++) {
		const act: Act =
			index === leapAt ? { kind: "leap", blocks: LEAP_BLOCKS } : drawAct(prng, knobs);
		steps.push({ ...act, pause: drawPause(prng) });
	}
	return steps;
}

/** Most seeds have several kinds of trouble at once; some have hardly any. */
export function drawKnobs(prng: Prng): Knobs {
	const rate = (...rates: number[]) => prng.pick(rates);
	return {
		steps: 10 + prng.int(20),
		processes: 1 + prng.int(3),
		nodes: 1 + prng.int(3),
		feed: prng.pick(["polling", "polling", "both"] as const),
		isScarce: prng.chance(0.5),
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

function drawAct(prng: Prng, knobs: Knobs): Act {
	const dice = prng.next();
	if (dice < knobs.reorgRate) return drawFork(prng, knobs);
	if (dice < knobs.reorgRate + knobs.processRate) return drawProcess(prng, knobs);
	if (dice < knobs.reorgRate + knobs.processRate + knobs.nodeRate) return drawNode(prng, knobs);
	return { kind: "mine", blocks: 1 + prng.int(prng.chance(0.1) ? 30 : knobs.blocksAtOnce) };
}

function drawFork(prng: Prng, knobs: Knobs): Act {
	if (prng.chance(0.15)) return { kind: "flip" };
	if (prng.chance(0.1)) return { kind: "rollback", depth: 1 + prng.int(3) };
	const isDeep = prng.chance(knobs.deepRate);
	const depth = isDeep ? 10 + prng.int(50) : 1 + (prng.chance(0.6) ? 0 : prng.int(6));
	// Mostly longer than what it replaces, as forks are; sometimes as long or shorter.
	const length = prng.chance(0.7) ? depth + 1 + prng.int(3) : Math.max(1, depth - prng.int(2));
	return { kind: "reorg", depth, length, sameTimes: prng.chance(0.5) };
}

function drawProcess(prng: Prng, { processes }: Knobs): Act {
	const kind = prng.pick(["kill", "kill", "stop", "stall", "stall"] as const);
	return { kind, process: prng.int(processes), steps: 1 + prng.int(5) };
}

function drawNode(prng: Prng, { nodes }: Knobs): Act {
	const at = { node: prng.int(nodes), steps: 1 + prng.int(4) };
	const kind = prng.pick(["down", "swap", "lag", "stale", "refuse"] as const);
	if (kind === "lag") return { kind, ...at, blocks: 1 + prng.int(5) };
	if (kind === "refuse") return { kind, ...at, steps: at.steps + 2, below: prng.int(4) };
	return { kind, ...at };
}

/**
 * Often the next thing follows at once, before anybody has understood the last; often the index has
 * taken in what is about to leave the chain.
 */
function drawPause(prng: Prng): Step["pause"] {
	if (prng.chance(0.4)) return { requests: 0, level: true, msMax: LEVEL_MS_MAX };
	const requests = prng.chance(0.5) ? prng.int(4) : 5 + prng.int(25);
	return { requests, level: false, msMax: PAUSE_MS_MAX };
}
