// Runs seeds: chaos by a schedule, then faults end, and the index is judged.

import { z } from "zod";
import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";
import { converge, judge } from "#test/sim/judge.ts";
import { createWorld, type Play, playStep, type World } from "#test/sim/playStep.ts";
import { drawKnobs, drawSchedule, type Knobs } from "#test/sim/schedule/drawSchedule.ts";
import { createTally, type Tally, type Wrong } from "#test/sim/Tally.ts";

/** What a run of the simulation was asked for. */
export type SimEnvironment = {
	seeds: number[];
	/** True where the seeds are many enough to have met every kind of fault. */
	isWhole: boolean;
	knobs: Partial<Knobs>;
	/** Prints what the product's processes say. */
	talks: boolean;
};

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

export type SeedsReport = {
	tally: Tally;
	/** What was wrong about one promise, with the seed before each. */
	of(about: Wrong["about"]): string[];
};

export type SeedsOptions = {
	seeds: readonly number[];
	knobs: Partial<Knobs>;
	db: Database;
	log: Log;
	/** Told of each failing seed as it fails: a line that replays it, and what went wrong. */
	print(line: string): void;
};

const SEEDS_USUAL = 200;
const SEEDS_PROVING = 2_000;

const schema = z.object({
	SIM_SEED: z.coerce.number().int().min(0).optional(),
	SIM_SEEDS: z.coerce.number().int().min(1).max(1_000_000).optional(),
	SIM_TIMES: z.coerce.number().int().min(1).max(100_000).default(1),
	SIM_LOG: z.string().optional(),
	SIM_KNOBS: z.string().default("{}"),
	PROVE: z.string().optional(),
});

/** Once every fault has ended, the index must be whole again within this, on a busy machine. */
const CONVERGES_WITHIN_MS = TEST_LIMIT_MS;
const LAST_DEPTH = 4;
const FOLLOWS_WITHIN_MS = 1_500;

/** They wait more than they work. */
const AT_ONCE = 8;
const TOLD_MAX = 10;
/** Far from every real chain's id. */
const FIRST_CHAIN_ID = 900_000_000;

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

/**
 * Reads what to run from the environment.
 *
 * - `SIM_SEED` replays one seed, `SIM_TIMES` times: what PostgreSQL does at the same moment is not
 *   the seed's to decide, and a race may need several tries.
 * - `SIM_SEEDS` says how many; without it 200, the same each time.
 * - `bun run prove` takes 2,000, others each time: `fresh` is where they begin.
 * - `SIM_LOG=1` prints what the product's processes say.
 * - `SIM_KNOBS` replaces knobs, as JSON.
 */
export function readSimEnvironment(
	env: Readonly<Record<string, string | undefined>>,
	fresh: number,
): SimEnvironment {
	const { SIM_SEED, SIM_SEEDS, SIM_TIMES, SIM_KNOBS, SIM_LOG, PROVE } = schema.parse(env);
	const proving = PROVE === "1";
	const count = SIM_SEEDS ?? (proving ? SEEDS_PROVING : SEEDS_USUAL);
	const first = proving ? fresh : 1;
	const seeds =
		SIM_SEED === undefined
			? Array.from({ length: count }, (_, index) => first + index)
			: Array.from({ length: SIM_TIMES }, () => SIM_SEED);
	const knobs: Partial<Knobs> = JSON.parse(SIM_KNOBS);
	const isWhole = SIM_SEED === undefined && count >= SEEDS_USUAL && SIM_KNOBS === "{}";
	const talks = SIM_LOG === "1";
	return { seeds, isWhole, knobs, talks };
}

/** Runs many seeds in one database; each has chains of its own there. */
export async function runSeeds(options: SeedsOptions): Promise<SeedsReport> {
	const { seeds, knobs, db, log, print } = options;
	const tally = createTally();
	const found: (Wrong & { seed: number })[] = [];
	let next = 0;
	const work = async () => {
		for (let turn = next++; turn < seeds.length; turn = next++) {
			const seed = seeds[turn] ?? 0;
			const id = FIRST_CHAIN_ID + turn * 2;
			const given = { seed, chainIds: [id, id + 1] as const, db, log, tally, knobs };
			const result = await runSeed(given).catch((error: unknown) => {
				const what = `the harness failed: ${String(error)}`;
				return { knobs, wrong: [{ about: "rows", what } satisfies Wrong] };
			});
			if (result.wrong.length === 0) continue;
			found.push(...result.wrong.map((one) => ({ ...one, seed })));
			print(`SIM_SEED=${seed} bun test --isolate test/sim/chaos.test.ts`);
			print(`  knobs ${JSON.stringify(result.knobs)}`);
			for (const { about, what } of result.wrong.slice(0, TOLD_MAX)) print(`  ${about}: ${what}`);
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, work));
	return {
		tally,
		of: (about) =>
			found
				.filter((one) => one.about === about)
				.map(({ seed, what }) => `SIM_SEED=${seed} ${what}`),
	};
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
