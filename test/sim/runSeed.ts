import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";
import { converge } from "#test/sim/converge.ts";
import { createWorld, type World } from "#test/sim/createWorld.ts";
import { judge } from "#test/sim/judge.ts";
import { type Play, playStep } from "#test/sim/playStep.ts";
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
const CONVERGES_WITHIN_MS = TEST_LIMIT_MS;
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
	await world.close();
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
