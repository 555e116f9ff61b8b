import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import { doubtJob } from "#plugins/market-index/merge/doubtJob.ts";
import { DOUBT_AFTER_BLOCKS, DOUBT_AFTER_MS } from "#plugins/market-index/merge/limits.ts";
import {
	createMergeLab,
	HEAD_BLOCK,
	timeOf,
} from "#plugins/market-index/merge/testing/mergeLab.ts";
import { told } from "#plugins/market-index/merge/testing/told.ts";
import {
	contractOf,
	ethereum,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: ReturnType<typeof createMergeLab>;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createMergeLab(database.db);
});
afterAll(() => database.drop());
beforeEach(() => lab.clear());

const CATS = contractOf(0xb1);
const BLOCK = HEAD_BLOCK - 1;
const sale = saleOf(CATS, { blockNumber: BLOCK, occurredAtMs: timeOf(BLOCK) });
const mint = mintOf(CATS, {
	blockNumber: BLOCK,
	logIndex: 9,
	occurredAtMs: timeOf(BLOCK),
	tokenId: 5n,
});

/** Runs the job so much later, with the lanes so many blocks past the one that was lost. */
async function doubt(laterMs = DOUBT_AFTER_MS, blocks = DOUBT_AFTER_BLOCKS): Promise<void> {
	const access: ChainAccess = { chain: ethereum, rpcFor: () => ({}) as Rpc, headUrls: [] };
	const job = doubtJob({
		...lab.options,
		db: database.db,
		clock: { nowMs: () => NOW_MS + laterMs },
		indexed: [access],
		scanner: {
			progress: async (chainId, lane) => ({
				chainId,
				lane,
				headBlock: BLOCK + blocks,
				indexedBlock: BLOCK + blocks,
				indexedAtMs: NOW_MS,
			}),
			lock: async (tx, chainId) => {
				await tx.execute("select pg_advisory_xact_lock($1)", [chainId]);
			},
		},
	});
	await job.run({ signal: new AbortController().signal });
}

async function lost() {
	const collection = await lab.register(CATS);
	await lab.apply(ethereum, [sale, mint], { live: true });
	await lab.merge(collection, [told(sale), told(mint)]);
	await lab.revert(ethereum, BLOCK - 1);
	expect(await lab.unconfirmed()).toBe(2);
	return collection;
}
const left = async () => (await lab.rows()).length;
/** Sales and mints that the collection counts, and those that its minutes do. */
async function figures() {
	return database.db.query(
		`select c.sales::int4, c.mints::int4, c.volume_native::text as volume,
			coalesce(sum(r.sales), 0)::int4 as "minuteSales",
			coalesce(sum(r.mints), 0)::int4 as "minuteMints"
		from market_index.collection as c
		left join market_index.rollup_minute as r on r.collection_id = c.id group by c.id`,
	);
}
const figuresOf = (sales: number, mints: number) => [
	{ sales, mints, volume: expect.any(String), minuteSales: sales, minuteMints: mints },
];

test("[ING-11] what left the chain and is not told again did not happen, whatever the provider said", async () => {
	await lost();
	const topic = `collection:ethereum:${CATS}`;
	const before = (await lab.frames(topic)).length;
	await doubt();
	expect([await left(), await lab.unconfirmed()]).toEqual([0, 0]);
	expect(await figures()).toEqual([
		{ sales: 0, mints: 0, volume: "0", minuteSales: 0, minuteMints: 0 },
	]);
	const frames = (await lab.frames(topic)).slice(before);
	const retracted = frames.filter(({ type }) => type === "market_event");
	expect(retracted.map(({ data }) => (data as { retracted: boolean }).retracted)).toEqual([
		true,
		true,
	]);
});

test("nothing is doubted before its time, nor before its lane is far past it", async () => {
	await lost();
	await doubt(DOUBT_AFTER_MS - 1);
	await doubt(DOUBT_AFTER_MS, DOUBT_AFTER_BLOCKS - 1);
	expect(await left()).toBe(2);
});

test("what the chain tells again, and what only the provider ever told, is not doubted", async () => {
	const collection = await lost();
	const blockNumber = BLOCK + 1;
	const again = { ...sale, blockNumber, logIndex: 77, blockHash: `0x${"77".repeat(32)}` } as const;
	await lab.apply(ethereum, [again], { live: true });
	const elsewhere = saleOf(CATS, { occurredAtMs: NOW_MS - 1_000, tokenId: 8n });
	await lab.merge(collection, [told(elsewhere)]);
	await doubt();
	const kept = (await lab.rows()).map(({ kind, token, verified }) => ({ kind, token, verified }));
	expect(kept).toEqual([
		{ kind: "sale", token: again.tokenId.toString(), verified: true },
		{ kind: "sale", token: "8", verified: false },
	]);
	expect(await figures()).toEqual(figuresOf(2, 0));
});

test("what the chain tells after it was doubted is there again, once", async () => {
	await lost();
	await doubt();
	await lab.apply(ethereum, [{ ...mint, blockNumber: BLOCK + 900 }], { live: true });
	expect(await lab.rows()).toMatchObject([{ kind: "mint", verified: true }]);
	expect(await figures()).toEqual(figuresOf(0, 1));
});
