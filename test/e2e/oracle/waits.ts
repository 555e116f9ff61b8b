// Waits until the service has read all that the oracle compares.

import { createRates } from "#test/e2e/oracle/expected/worthOf.ts";
import { areWalked, type OracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import { until } from "#test/harness/until.ts";

const BASE_ID = 8_453;

const ROUNDS_MAX = 20;

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
const TOKEN_ROUNDS_MAX = 9;

/**
 * Waits until the service has read all of its chain: each lane to the head with nothing owed below,
 * and each contract's owners where it walks them. After that it learns only from the provider's
 * answers, which the oracle sees.
 */
export async function areLevel({ lab, seed }: OracleLab): Promise<void> {
	const { db } = lab.database;
	const isWalked = areWalked(seed);
	const lanes = isWalked ? ["sale", "mint", "transfer"] : ["sale", "mint"];
	const head = lab.node("base").head();
	let left: string[] = [];
	await until(
		async () => {
			const rows = await db.query<{ what: string }>(
				`select wanted.lane as what from unnest($2::text[]) as wanted (lane)
				left join chain_scanner.cursor as c on c.chain_id = $1 and c.lane = wanted.lane
				where coalesce(c.block_number, 0) < $3
				union all
				select lane || ' owes' from chain_scanner.gap
				where chain_id = $1 and lane = any($2::text[])
				union all
				select 'a walk of ' || c.slug || coalesce(' at ' || o.next_block, '')
				from market_index.collection as c
				left join market_index.ownership as o on o.collection_id = c.id
				where $4 and c.chain_id = $1 and not c.excluded
					and coalesce(o.next_block, 0) <= coalesce(o.end_block, 0)`,
				[BASE_ID, lanes, head, isWalked],
			);
			left = rows.map(({ what }) => what);
			return left.length === 0;
		},
		() => `everything up to block ${head} was read, and not ${left.slice(0, 5)}`,
	);
}

/**
 * Counts the recipients of each collection whose owners no better source knows. One run counts for
 * a quarter of a second only, which covers few collections on a busy machine, so it runs until none
 * is left.
 */
export async function countRecipients({ lab }: OracleLab): Promise<void> {
	let left: string[] = [];
	await until(
		async () => {
			await lab.runJob("recipients");
			const rows = await lab.database.db.query<{ slug: string }>(
				`select slug from market_index.collection as c
				where not excluded and provider_owners is null and mints + sales > 0
					and not exists (
						select from market_index.recipients where collection_id = c.id
					)
					and not exists (
						select from market_index.ownership
						where collection_id = c.id and next_block > end_block and minted > 0
					)`,
			);
			left = rows.map(({ slug }) => slug);
			return left.length === 0;
		},
		() => `the recipients of ${left.slice(0, 5)} are counted`,
	);
}

/**
 * Has each feed read to its beginning. Before that, events are stored without a price; after it the
 * service knows all rates, up to the newest round.
 */
export async function readRates({ lab, feeds }: OracleLab): Promise<void> {
	if (feeds.all.length === 0) return;
	const { db } = lab.database;
	const prices = feeds.all.flatMap(({ aggregator }) => aggregator.rounds);
	const wanted = prices.filter(({ answer }) => answer > 0n).length;
	let known = 0;
	for (let round = 0; round < ROUNDS_MAX; round++) {
		await lab.runJob("prices.poll");
		await lab.runJob("prices.history");
		const [row] = await db.query<{ known: number }>(
			"select count(*)::int as known from prices.round",
		);
		known = row?.known ?? 0;
		if (known === wanted) return;
	}
	throw new Error(`${known} rounds were read, and not ${wanted}`);
}

/** Waits until events that were stored before their rate was known have their price. */
export async function arePriced({ lab, feeds }: OracleLab): Promise<void> {
	const { db } = lab.database;
	let left: string[] = [];
	await until(
		async () => {
			const rows = await db.query<{ chain: string; currency: Buffer; at: Date }>(
				`select case chain_id when 33139 then 'apechain' when 1 then 'ethereum' else 'base' end
						as chain, currency, occurred_at as at
				from market_index.event
				where total_native is null and total_raw > 0 and currency is not null`,
			);
			left = rows.flatMap(({ chain, currency, at }) => {
				const rates = createRates(feeds.all, chain);
				const isPriced = rates.weiOf(`0x${currency.toString("hex")}`, 1n, at.getTime()) !== null;
				return isPriced ? [at.toISOString()] : [];
			});
			if (left.length > 0 && feeds.all.length > 0) await lab.runJob("prices.retell");
			return left.length === 0;
		},
		() => `what was sold at ${left.slice(0, 5)} has a price`,
	);
}

/**
 * Has tokens found, told by the provider, counted and ranked: jobs that wait for a quieter moment,
 * or for the provider's next minute, run now.
 */
export async function readTokens(oracle: OracleLab): Promise<void> {
	await hurry(oracle, [OWED]);
	await hurry(oracle, [ASKED]);
	await hurry(oracle, [FOUND, READ, ...TOLD, FLOORS]);
	for (let round = 0; round < TOKEN_ROUNDS_MAX; round++) {
		oracle.lab.advance(STEP_MS);
		// Unreadable tokens are retried for hours, which this does not wait for.
		if ((await hurry(oracle, [...TOLD, FLOORS])) === 0) return;
	}
	throw new Error(`tokens were not told in ${TOKEN_ROUNDS_MAX} rounds`);
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
