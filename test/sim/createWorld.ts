import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import { createPrng, type Prng } from "#test/sandbox/createPrng.ts";
import { chainOf } from "#test/sim/chain/cast.ts";
import { createSimChain } from "#test/sim/chain/createSimChain.ts";
import { createSimNode } from "#test/sim/node/createSimNode.ts";
import { serveSocket } from "#test/sim/node/serveSocket.ts";
import { startSimProcess } from "#test/sim/process/startSimProcess.ts";
import type { Step } from "#test/sim/schedule/drawSchedule.ts";
import type { Knobs } from "#test/sim/schedule/Knobs.ts";
import type { Tally } from "#test/sim/Tally.ts";
import type { Wrong } from "#test/sim/Wrong.ts";

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

/** How far below the highest block ever a fork may begin; the product promises 64. */
const FORK_DEPTH_MAX = 60;
const FIRST_BLOCKS = 3;
/** Lanes begin here, wherever the head is: so every run is asked for the same blocks. */
export const SCAN_FROM = 1;

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
