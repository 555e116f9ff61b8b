import type { OracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import { until } from "#test/harness/until.ts";

/**
 * Contracts met while lanes were behind are asked for their names; then their tokens are looked
 * for.
 */
const OWED = "market-index.owed-names%";
/** A contract is asked again after its mints; then its tokens are looked for. */
const ASKED = "market-index.collection-metadata%";
const FOUND = "market-index.learn-tokens%";
const READ = "market-index.read-tokens%";
const TOLD = ["market-index.provider-tokens%", "market-index.traits%"];
const FLOORS = "market-index.trait-floors%";
/** Four minutes of the provider's limit; counts of traits are at most three steps apart. */
const STEP_MS = 300_000;
const ROUNDS_MAX = 9;

/**
 * Has tokens found, told by the provider, counted and ranked: jobs that wait for a quieter moment,
 * or for the provider's next minute, run now.
 */
export async function readTokens(oracle: OracleLab): Promise<void> {
	await hurry(oracle, [OWED]);
	await hurry(oracle, [ASKED]);
	await hurry(oracle, [FOUND, READ, ...TOLD, FLOORS]);
	for (let round = 0; round < ROUNDS_MAX; round++) {
		oracle.lab.advance(STEP_MS);
		// Unreadable tokens are retried for hours, which this does not wait for.
		if ((await hurry(oracle, [...TOLD, FLOORS])) === 0) return;
	}
	throw new Error(`tokens were not told in ${ROUNDS_MAX} rounds`);
}

/** Has later mints found, and floors of traits made from the books that were read. */
export async function readNews(oracle: OracleLab): Promise<void> {
	await hurry(oracle, [ASKED, FLOORS]);
	await hurry(oracle, [FOUND]);
}

/** Runs these jobs, and what each of them queues for now; returns how many there were. */
async function hurry({ lab }: OracleLab, keys: readonly string[]): Promise<number> {
	const { db } = lab.database;
	const late = await db.query(
		`update graphile_worker._private_jobs set run_at = now()
		where key like any($1::text[]) and locked_at is null returning key`,
		[keys],
	);
	const watched = [READ, ...TOLD, FLOORS, ...keys];
	await until(
		async () => {
			const rows = await db.query(
				`select from graphile_worker._private_jobs
				where key like any($1::text[]) and (locked_at is not null or run_at <= now())`,
				[watched],
			);
			return rows.length === 0;
		},
		() => `${keys} are through`,
	);
	return late.length;
}
