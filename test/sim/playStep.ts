// Plays one step of a simulated run.

import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import { createPrng, type Prng } from "#test/sandbox/createPrng.ts";
import { createSimChain } from "#test/sim/chain/createSimChain.ts";
import { chainOf } from "#test/sim/chain/deals.ts";
import { createSimNode } from "#test/sim/node/createSimNode.ts";
import { serveSocket } from "#test/sim/node/serveSocket.ts";
import { type SimProcess, startSimProcess } from "#test/sim/process/startSimProcess.ts";
import type { Knobs, Step } from "#test/sim/schedule/drawSchedule.ts";
import type { Tally, Wrong } from "#test/sim/Tally.ts";

export type World = ReturnType<typeof createWorld>;

export type WorldOptions = {
	chainId: number;
	/** What hashes are made of: a replay has the same. */
	name: string;
	knobs: Knobs;
	prng: Prng;
	db: Database;
	log: Log;
	tally: Tally;
};

/** What is under way in one seed: who runs, and what ends when. */
export type Play = {
	world: World;
	/** By seat: a seat is empty while its process is dead or stopped. */
	seats: (SimProcess | null)[];
	/** What to do after so many more steps. */
	due: { steps: number; act: () => void }[];
	/** Those that were asked to stop. Not waited for: one may wait for another that stalls. */
	leaving: Promise<void>[];
};

/** How far below the highest block ever a fork may begin; the product promises 64. */
const FORK_DEPTH_MAX = 60;
const FIRST_BLOCKS = 3;
/** Lanes begin here, wherever the head is: so every run is asked for the same blocks. */
export const SCAN_FROM = 1;

/** Lets one thing happen, and what was due to end. */
export async function playStep(play: Play, step: Step): Promise<void> {
	const { world } = play;
	for (const one of play.due) one.steps--;
	const ready = play.due.filter(({ steps }) => steps <= 0);
	play.due = play.due.filter((one) => !ready.includes(one));
	for (const { act } of ready) act();
	const happened = act(play, step);
	if (happened) world.tally.add(`step_${step.kind}`);
	await world.pause(step.pause);
}

/** One chain, its nodes and its processes, as one seed wants them. */
export function createWorld(options: WorldOptions) {
	const { chainId, name, knobs, prng, db, tally } = options;
	const fork = () => createPrng(prng.int(2 ** 32));
	const chain = createSimChain(fork(), { name, depthMax: FORK_DEPTH_MAX });
	const stranger = createSimChain(fork(), { name: `${name}, another` });
	for (let made = 0; made < FIRST_BLOCKS; made++) chain.mine();
	for (let made = 0; made < 40; made++) stranger.mine();
	const nodes = Array.from({ length: knobs.nodes }, () => {
		return createSimNode({ chainId, chain, stranger, knobs: knobs.node, prng: fork(), tally });
	});
	const sockets =
		knobs.feed === "polling" ? [] : nodes.map((node) => serveSocket(node, { prng: fork(), tally }));
	const faults = { active: true };
	const wrong: Wrong[] = [];
	const hints: string[] = [];
	/** How far each lane has come, by its own word. */
	const reached = new Map<string, number>();
	let started = 0;

	function start() {
		const process = startSimProcess({
			name: `${chainId}-${started++}`,
			chain: chainOf(chainId),
			nodes,
			headUrls: sockets.map(({ url }) => url),
			polls: knobs.feed !== "sockets",
			isScarce: knobs.isScarce,
			db,
			log: options.log,
			databaseKnobs: knobs.database,
			busLossRate: knobs.busLossRate,
			faults,
			scanFrom: SCAN_FROM,
			prng: fork(),
			tally,
			onWrong: (one) => void wrong.push(one),
			onIndexed: (lane, block) => void reached.set(lane, block),
			onHint: (message) => void hints.push(message),
		});
		return process;
	}

	/** Until the nodes were asked so many things, or lanes are level, or the time is over. */
	function pause({ requests, level, msMax }: Step["pause"]): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		let left = requests;
		const look = () => {
			left--;
			if (level ? isLevel() : left <= 0) {
				if (level) tally.add("level");
				resolve();
			}
		};
		const stops = nodes.map((node) => node.onRequest(look));
		const timer = setTimeout(
			() => {
				if (level) tally.add("level_timeout");
				resolve();
			},
			requests === 0 && !level ? 0 : msMax,
		);
		return promise.finally(() => {
			clearTimeout(timer);
			for (const stop of stops) stop();
		});
	}

	/** As far as lanes said; they may stand on another fork. */
	function isLevel(): boolean {
		return reached.size === 2 && [...reached.values()].every((block) => block >= chain.head());
	}

	/** Once no process runs any more. */
	async function close(): Promise<void> {
		await Promise.all(sockets.map((socket) => socket.close()));
	}

	return { chain, chainId, nodes, faults, wrong, hints, start, pause, close, tally };
}

function act(play: Play, step: Step): boolean {
	const { chain } = play.world;
	switch (step.kind) {
		case "mine":
			for (let made = 0; made < step.blocks; made++) chain.mine();
			return true;
		case "reorg":
			chain.reorg(step);
			if (step.depth >= 10) play.world.tally.add("deep_reorg");
			return true;
		case "flip":
			return chain.flip();
		case "rollback":
			chain.rollback(step.depth);
			return true;
		case "leap":
			return leap(play, step.blocks);
		case "kill":
		case "stop":
		case "stall":
			return disturb(play, step);
		default:
			return trouble(play, step);
	}
}

/** Everybody dies, the chain goes far ahead, everybody comes back. */
function leap(play: Play, blocks: number): boolean {
	const { chain, start } = play.world;
	for (const process of play.seats) process?.kill();
	for (let made = 0; made < blocks; made++) chain.mine({ empty: made % 60 !== 0 });
	play.seats = play.seats.map(() => start());
	return true;
}

function disturb(play: Play, step: Extract<Step, { kind: "kill" | "stop" | "stall" }>): boolean {
	const { due, world } = play;
	const process = play.seats[step.process];
	if (!process) return false;
	if (step.kind === "stall") {
		process.stall();
		due.push({ steps: step.steps + 2, act: process.wake });
		return true;
	}
	play.seats[step.process] = null;
	const act = () => {
		play.seats[step.process] ??= world.start();
	};
	if (step.kind === "kill") process.kill();
	else play.leaving.push(process.stop());
	due.push({ steps: step.steps, act });
	return true;
}

function trouble(
	play: Play,
	step: Extract<Step, { kind: "down" | "swap" | "lag" | "stale" | "refuse" }>,
): boolean {
	const { chain, nodes } = play.world;
	const node = nodes[step.node];
	if (!node) return false;
	const { state } = node;
	const until = (act: () => void) => play.due.push({ steps: step.steps, act });
	switch (step.kind) {
		case "down":
			state.down = true;
			until(() => {
				state.down = false;
			});
			return true;
		case "swap":
			node.swap(true);
			until(() => node.swap(false));
			return true;
		case "lag":
			state.lagBlocks = step.blocks;
			until(() => {
				state.lagBlocks = 0;
			});
			return true;
		case "stale": {
			const { blocks, homes } = chain.branch();
			state.stale = { blocks: [...blocks], homes: new Map(homes) };
			until(() => {
				state.stale = null;
			});
			return true;
		}
		case "refuse": {
			const block = Math.max(1, chain.head() + 1 - step.below);
			// All nodes: the block is too much for any of them, for a while.
			for (const one of nodes) one.state.refused.add(block);
			until(() => {
				for (const one of nodes) one.state.refused.delete(block);
			});
			return true;
		}
	}
}
