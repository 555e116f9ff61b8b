import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import { sleep } from "#core/time/sleep.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";
import { chainOf } from "#test/sim/chain/cast.ts";
import type { SimChain } from "#test/sim/chain/createSimChain.ts";
import { SCAN_FROM } from "#test/sim/createWorld.ts";
import { calmNode } from "#test/sim/node/calmNode.ts";
import { createSimNode } from "#test/sim/node/createSimNode.ts";
import type { State } from "#test/sim/oracle/expectedRows.ts";
import { readRows } from "#test/sim/oracle/readRows.ts";
import { whatIsOwed } from "#test/sim/oracle/whatIsOwed.ts";
import { startSimProcess } from "#test/sim/process/startSimProcess.ts";
import { createTally } from "#test/sim/Tally.ts";

const LOOK_EVERY_MS = 20;
const LOOKS_MAX = 750;

/** What one process without any trouble makes of a chain as it stands. */
export async function runLinear(options: {
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
