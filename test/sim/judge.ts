import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import { cast, chainOf } from "#test/sim/chain/cast.ts";
import { SCAN_FROM, type World } from "#test/sim/createWorld.ts";
import { checkFrames } from "#test/sim/oracle/checkFrames.ts";
import { checkHints } from "#test/sim/oracle/checkHints.ts";
import { compareRows } from "#test/sim/oracle/compareRows.ts";
import { expectedEvents } from "#test/sim/oracle/expectedEvents.ts";
import { expectedRows } from "#test/sim/oracle/expectedRows.ts";
import { readRows } from "#test/sim/oracle/readRows.ts";
import { runLinear } from "#test/sim/runLinear.ts";
import type { Wrong } from "#test/sim/Wrong.ts";

export type JudgeOptions = {
	/** Two ids that nobody else in the database has: of the world, and for its linear run. */
	chainIds: readonly [number, number];
	db: Database;
	log: Log;
};

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

function about(promise: Wrong["about"], how?: string) {
	return (what: string): Wrong => ({ about: promise, what: how ? `${how}: ${what}` : what });
}
