import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { NewJob } from "#core/queue/JobQueue.ts";
import { SUPPLIES_BEHIND_MAX } from "#plugins/market-index/sync/limits.ts";
import { supplyCatchUpJob } from "#plugins/market-index/sync/supplyCatchUpJob.ts";
import { ethereum, polygon } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let behindChains: number[];
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

const COUNT = SUPPLIES_BEHIND_MAX + 5;
/** On two chains; the last ones of each have seen no mint since their contract was asked. */
beforeEach(async () => {
	behindChains = [];
	await database.db.execute("truncate market_index.collection restart identity cascade");
	await database.db.execute(
		`insert into market_index.collection
			(chain_id, address, slug, standard, mints, supply_mints, last_mint_at)
		select chain_id, decode(lpad(to_hex(n), 40, '0'), 'hex'), n::text, 'erc721', 5,
			case when n <= $2::int4 then 4 when n % 2 = 0 then 5 end, now() - n * interval '1 second'
		from unnest($1::int8[]) as chain_id, generate_series(1, $2::int4 + 4) as n`,
		[[ethereum.id, polygon.id], COUNT],
	);
});

async function tick(): Promise<number[]> {
	const jobs: NewJob[] = [];
	const job = supplyCatchUpJob({
		db: database.db,
		indexed: [ethereum, polygon].map((chain) => ({ chain, rpcFor: () => fail(), headUrls: [] })),
		queue: { add: async (_tx, added) => void jobs.push(...added) },
		scanner: {
			async progress(chainId, lane) {
				const indexedBlock = behindChains.includes(chainId) ? 100 : 1_000;
				return { chainId, lane, headBlock: 1_000, indexedBlock, indexedAtMs: 0 };
			},
		},
	});
	await job.run({ signal: new AbortController().signal });
	return jobs.flatMap(({ payload }) => (payload as { collectionIds: number[] }).collectionIds);
}
const fail = () => {
	throw new Error("nobody is asked");
};
const chainsOf = async (ids: readonly number[]) => {
	const rows = await database.db.query<{ chain: number; count: number }>(
		`select chain_id as chain, count(*)::int4 as count from market_index.collection
		where id = any($1::int4[]) group by 1`,
		[ids],
	);
	return new Map(rows.map(({ chain, count }) => [chain, count]));
};

test("supplies that mints of a catch-up left behind are read again", async () => {
	const ids = await tick();
	expect(new Set(ids).size).toBe(ids.length);
	expect(await chainsOf(ids)).toEqual(
		new Map([
			[ethereum.id, COUNT],
			[polygon.id, COUNT],
		]),
	);
});

test("while a chain's lanes are behind a few of its supplies are read, and none waits for ever", async () => {
	behindChains = [polygon.id];
	expect(await chainsOf(await tick())).toEqual(
		new Map([
			[ethereum.id, COUNT],
			[polygon.id, SUPPLIES_BEHIND_MAX],
		]),
	);
});
