import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import { sleep } from "#core/time/sleep.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";
import { cast, chainOf } from "#test/sim/chain/cast.ts";
import { createWorld, SCAN_FROM, type World } from "#test/sim/createWorld.ts";
import { checkFrames } from "#test/sim/oracle/checkFrames.ts";
import { checkHints } from "#test/sim/oracle/checkHints.ts";
import { compareRows } from "#test/sim/oracle/compareRows.ts";
import { expectedEvents } from "#test/sim/oracle/expectedEvents.ts";
import { expectedRows } from "#test/sim/oracle/expectedRows.ts";
import { readRows } from "#test/sim/oracle/readRows.ts";
import { whatIsOwed } from "#test/sim/oracle/whatIsOwed.ts";
import { type Play, playStep } from "#test/sim/playStep.ts";
import { runLinear } from "#test/sim/runLinear.ts";
import { drawSchedule } from "#test/sim/schedule/drawSchedule.ts";
import { drawKnobs, type Knobs } from "#test/sim/schedule/Knobs.ts";
import type { Tally } from "#test/sim/Tally.ts";
import type { Wrong } from "#test/sim/Wrong.ts";

export type SeedOptions = {
	seed: number;
	/** Two ids that nobody else in the database has: for the seed, and for its linear run. */
	chainIds: readonly [number, number];
	db: Database;
	log: Log;
	tally: Tally;
	/** Replaces what the seed drew. */
	knobs?: Partial<Knobs>;
};

export type SeedResult = { knobs: Knobs; wrong: Wrong[] };

/** Once every fault has ended, the index must be whole again within this, on a busy machine. */
const CONVERGES_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 5;
const LAST_DEPTH = 4;
const FOLLOWS_WITHIN_MS = 1_500;

/**
 * One seed: chaos by its schedule, then all faults end, and the index must become what a run
 * without any of it makes of the same chain.
 */
export async function runSeed(options: SeedOptions): Promise<SeedResult> {
	const { seed, chainIds, db, log, tally } = options;
	const prng = createPrng(seed);
	const knobs = { ...drawKnobs(prng), ...options.knobs };
	const schedule = drawSchedule(prng, knobs);
	const world = createWorld({
		chainId: chainIds[0],
		name: `seed ${seed}`,
		knobs,
		prng,
		db,
		log,
		tally,
	});
	const seats = Array.from({ length: knobs.processes }, () => world.start());
	const play: Play = { world, seats, due: [], leaving: [] };
	for (const step of schedule) await playStep(play, step);
	endFaults(play);
	if (knobs.endsShort) await endShort(db, world);
	growPast(world);
	const owed = await converge(db, world, CONVERGES_WITHIN_MS);
	await Promise.all([...play.leaving, ...play.seats.map((process) => process?.stop())]);
	const wrong = [...world.wrong];
	if (owed) wrong.push({ about: "convergence", what: owed });
	else wrong.push(...(await judge(options, world)));
	return { knobs, wrong };
}

/** From here on everything works, and at least one process runs. */
function endFaults({ world, seats, due }: Play): void {
	world.faults.active = false;
	due.length = 0;
	for (const node of world.nodes) node.heal();
	for (const process of seats) process?.wake();
	seats[0] ??= world.start();
}

/**
 * A fork that leaves the chain shorter. Mostly the index follows it down; not where all it knows
 * lies above the new head, as a node that lags looks the same.
 */
async function endShort(db: Database, world: World): Promise<void> {
	world.chain.reorg({ depth: LAST_DEPTH, length: 1, sameTimes: false });
	const owed = await converge(db, world, FOLLOWS_WITHIN_MS);
	world.tally.add(owed === null ? "short_end" : "short_end_unseen");
}

/** Past every block that ever was: where the head only went back, nothing says that it did. */
function growPast({ chain }: World): void {
	const before = chain.headMax();
	while (chain.head() <= before) chain.mine();
}

/**
 * What is still owed when time is up; null as soon as nothing is. The time begins anew whenever
 * something else is owed than before, up to four times of it: a busy machine is slow, and a stuck
 * lane stands still.
 */
async function converge(
	db: Database,
	{ chain, chainId }: World,
	withinMs: number,
): Promise<string | null> {
	const last = performance.now() + 4 * withinMs;
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

/** Twice over: by what really happened, and by what a run without trouble makes of it. */
async function judge({ chainIds, db, log }: SeedOptions, world: World): Promise<Wrong[]> {
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
