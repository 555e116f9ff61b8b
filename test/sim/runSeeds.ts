import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import { runSeed } from "#test/sim/runSeed.ts";
import type { Knobs } from "#test/sim/schedule/Knobs.ts";
import { createTally, type Tally } from "#test/sim/Tally.ts";
import type { Wrong } from "#test/sim/Wrong.ts";

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

/** They wait more than they work. */
const AT_ONCE = 8;
const TOLD_MAX = 10;
/** Far from every real chain's id. */
const FIRST_CHAIN_ID = 900_000_000;

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
