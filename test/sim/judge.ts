// Judges a world's index against what happened, and against a run without faults.

import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import { sleep } from "#core/time.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";
import type { SimChain } from "#test/sim/chain/createSimChain.ts";
import { cast, chainOf } from "#test/sim/chain/deals.ts";
import { createSimNode } from "#test/sim/node/createSimNode.ts";
import { calmNode } from "#test/sim/node/lies.ts";
import { checkFrames, checkHints, compareRows, whatIsOwed } from "#test/sim/oracle/checks.ts";
import {
	expectedEvents,
	expectedRows,
	readRows,
	type State,
} from "#test/sim/oracle/expectedRows.ts";
import { SCAN_FROM, type World } from "#test/sim/playStep.ts";
import { startSimProcess } from "#test/sim/process/startSimProcess.ts";
import { createTally, type Wrong } from "#test/sim/Tally.ts";

export type JudgeOptions = {
	/** Two ids that nobody else in the database has: of the world, and for its linear run. */
	chainIds: readonly [number, number];
	db: Database;
	log: Log;
};

const LOOK_EVERY_MS = 20;
const LOOKS_MAX = 750;

/**
 * Compares a world's index with what must be, twice over: by what really happened, and by what a
 * run without trouble makes of it.
 */
export async function judge({ chainIds, db, log }: JudgeOptions, world: World): Promise<Wrong[]> {
	const [chainId, linearId] = chainIds;
	const events = expectedEvents(world.chain.branch().blocks, SCAN_FROM);
	const found = await readRows(db, chainId);
	const linear = await runLinear({ chainId: linearId, chain: world.chain, db, log });
	const contracts = [...cast.erc721, ...cast.erc1155];
	const told = await checkFrames(db, { chain: chainOf(chainId).slug, contracts, events });
	const announced = await checkHints(db, world.hints);
	return [
		...compareRows(found, expectedRows(events)).map(about("rows", "by the facts")),
		...compareRows(found, linear).map(about("rows", "by a linear run")),
		...told.map(about("frames")),
		...announced.map(about("hints")),
	];
}

/**
 * What is still owed when time is up; null as soon as nothing is. The time begins anew whenever
 * something else is owed than before, up to twice of it: a busy machine is slow, and a stuck
 * lane stands still.
 */
export async function converge(
	db: Database,
	{ chain, chainId }: World,
	withinMs: number,
): Promise<string | null> {
	const last = performance.now() + 2 * withinMs;
	let until = performance.now() + withinMs;
	let before: string | null = null;
	for (;;) {
		const owed = await whatIsOwed(db, chainId, chain.branch().blocks.at(-1));
		const now = performance.now();
		if (owed !== before) until = Math.min(now + withinMs, last);
		if (owed === null || now > until) return owed;
		before = owed;
		await sleep(LOOK_EVERY_MS);
	}
}

/** What one process without any trouble makes of a chain as it stands. */
async function runLinear(options: {
	chainId: number;
	chain: SimChain;
	db: Database;
	log: Log;
}): Promise<State> {
	const { chainId, chain, db, log } = options;
	const tally = createTally();
	const prng = createPrng(1);
	const node = createSimNode({ chainId, chain, stranger: chain, knobs: calmNode, prng, tally });
	node.heal();
	const process = startSimProcess({
		name: `${chainId}-linear`,
		chain: chainOf(chainId),
		nodes: [node],
		headUrls: [],
		polls: true,
		isScarce: false,
		db,
		log,
		databaseKnobs: { errorRate: 0, failedCommitRate: 0, lostCommitRate: 0, delayRate: 0 },
		busLossRate: 0,
		faults: { active: false },
		scanFrom: SCAN_FROM,
		prng,
		tally,
		onWrong: () => {},
		onIndexed: () => {},
		onHint: () => {},
	});
	for (let look = 0; look < LOOKS_MAX; look++) {
		if ((await whatIsOwed(db, chainId, chain.branch().blocks.at(-1))) === null) break;
		await sleep(LOOK_EVERY_MS);
	}
	await process.stop();
	return readRows(db, chainId);
}

function about(promise: Wrong["about"], how?: string) {
	return (what: string): Wrong => ({ about: promise, what: how ? `${how}: ${what}` : what });
}
