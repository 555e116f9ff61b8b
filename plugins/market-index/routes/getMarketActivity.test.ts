import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Chain } from "#core/chain/Chain.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import { createReverter } from "#plugins/market-index/apply/createReverter.ts";
import {
	type ApplierLab,
	createApplierLab,
} from "#plugins/market-index/apply/testing/applierLab.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import { blockBefore } from "#plugins/market-index/sql/chainEvents.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import { pick, worldEvents } from "#plugins/market-index/testing/filterWorld.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	NOW_MS,
	polygon,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createDice } from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";

// Guarantee: events across collections and chains are told each once, newest first, on pages of any
// size, of any kind and time, after forks too; and a page that stopped early says so.

const WORLDS = process.env["PROVE"] === "1" ? 400 : 40;
const CHAINS = [ethereum, base, polygon];

type Kept = { chain: Chain; event: Required<NewEvent> };

let database: TestDatabase;
let lab: ApplierLab;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	lab = createApplierLab(database.db);
	fixture = createMarketFixture(database.db, CHAINS);
	ask = createAsk(fixture);
});
beforeEach(() => lab.clear());
afterAll(() => database.drop());

async function walk(query: string): Promise<any[]> {
	const rows: any[] = [];
	let cursor = "";
	for (let pages = 0; ; pages++) {
		const { status, body } = await ask(`/activity?${query}&cursor=${cursor}`);
		expect({ query, status, detail: body.detail }).toEqual({
			query,
			status: 200,
			detail: undefined,
		});
		rows.push(...body.data);
		expect(body.page.hasMore).toBe(body.page.nextCursor !== null);
		expect(pages).toBeLessThan(500);
		if (body.page.nextCursor === null) return rows;
		cursor = body.page.nextCursor;
	}
}

const newestFirst = (a: Kept, b: Kept) =>
	b.event.occurredAtMs - a.event.occurredAtMs ||
	CHAINS.indexOf(a.chain) - CHAINS.indexOf(b.chain) ||
	b.event.blockNumber - a.event.blockNumber ||
	b.event.logIndex - a.event.logIndex ||
	b.event.subIndex - a.event.subIndex;

const nameOf = ({ chain, event }: Kept) =>
	`${chain.slug} ${event.blockHash}:${event.logIndex}:${event.subIndex}`;

test(`pages of all collections are those of a plain reading, after forks too (${WORLDS} worlds)`, async () => {
	const revert = createReverter(lab.options);
	for (let seed = TEST_SEED * 1_000; seed < TEST_SEED * 1_000 + WORLDS; seed++) {
		await lab.clear();
		const dice = createDice(seed);
		let kept: Kept[] = [];
		for (const chain of CHAINS) {
			for (const number of [1, 2]) {
				const events = worldEvents(dice, contractOf(number), 25);
				await fixture.seed(chain, events);
				kept.push(...events.map((event) => ({ chain, event })));
			}
		}
		const forkBlock = Math.floor((NOW_MS - dice(24) * 40 * HOUR_MS) / 1_000) - 1_600_000_000;
		await database.db.transaction((tx) => revert(tx, { chainId: base.id, forkBlock }));
		kept = kept.filter(({ chain, event }) => chain !== base || event.blockNumber <= forkBlock);
		for (let asked = 0; asked < 4; asked++) {
			const chain = pick(dice, [null, null, ...CHAINS]);
			const type = pick(dice, [null, "sale", "mint", "transfer"]);
			const sinceMs = pick(dice, [null, NOW_MS - 1_000 - dice(24) * 40 * HOUR_MS]);
			const untilMs =
				sinceMs === null ? pick(dice, [null, NOW_MS - dice(24) * 40 * HOUR_MS]) : null;
			const time = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
			const query = [
				`limit=${1 + dice(30)}`,
				...(chain === null ? [] : [`chain=${chain.slug}`]),
				...(type === null ? [] : [`type=${type}`]),
				...(sinceMs === null ? [] : [`after=${time(sinceMs)}`]),
				...(untilMs === null ? [] : [`before=${time(untilMs)}`]),
			].join("&");
			const expected = kept
				.filter((one) => chain === null || one.chain === chain)
				.filter(({ event }) => type === null || event.kind === type)
				.filter(({ event }) => sinceMs === null || event.occurredAtMs >= sinceMs)
				.filter(({ event }) => untilMs === null || event.occurredAtMs < untilMs)
				.sort(newestFirst);
			const rows = (await walk(query)).map((row) => `${row.chain} ${row.id}`);
			expect({ seed, query, rows }).toEqual({ seed, query, rows: expected.map(nameOf) });
		}
	}
});

test("a row has its collection, and its token's picture; an excluded collection has none", async () => {
	const [cats, spam] = [contractOf(0xca), contractOf(0x5b)];
	await fixture.seed(ethereum, [saleOf(cats, { tokenId: 7n }), saleOf(spam)]);
	const id = await fixture.idOf(ethereum, cats);
	await database.db.execute(
		"update market_index.collection set excluded = id <> $1, name = 'Cats', slug = 'cats-' || id",
		[id],
	);
	await database.db.execute(
		`insert into market_index.token (collection_id, token_id, image_url, traits)
		values ($1, 7, 'ipfs://seven', '[{"type":"Hat","value":"Red"}]')`,
		[id],
	);
	const { body } = await ask("/activity");
	expect(body.data).toMatchObject([
		{
			...{ eventType: "sale", tokenId: "7", imageUrl: "ipfs://seven" },
			traits: [{ trait_type: "Hat", value: "Red" }],
			collection: { slug: `cats-${id}`, name: "Cats", imageUrl: null },
		},
	]);
	await database.db.execute("delete from market_index.token");
});

/** Mints of one chain, one a second, the newest at NOW; far more than a page looks at. */
async function crowd(count: number): Promise<void> {
	await fixture.seed(ethereum, [saleOf(contractOf(1), { occurredAtMs: NOW_MS - 20 * DAY_MS })]);
	const id = await fixture.idOf(ethereum, contractOf(1));
	await database.db.execute(
		`insert into market_index.event (occurred_at, block_number, chain_id, collection_id, log_index,
			sub_index, kind, accepted, onchain_verified, block_hash, transaction_hash, from_address,
			to_address, token_id, quantity)
		select $2::timestamptz - n * interval '1 second', 900000000 - n, 1, $1, 1, 0, 2, true, true,
			int8send(n), int8send(n), '\\x01', '\\x02', n, 1
		from generate_series(1, $3::int4) as n`,
		[id, new Date(NOW_MS), count],
	);
}

test("a page that has looked at enough says how far, and goes on from there", async () => {
	await crowd(21_000);
	await fixture.seed(base, [
		saleOf(contractOf(2)),
		saleOf(contractOf(2), { occurredAtMs: NOW_MS - 19 * DAY_MS }),
	]);
	const one = await ask("/activity?chain=ethereum&type=sale");
	expect(one.body).toMatchObject({ data: [], page: { hasMore: true } });
	expect(one.body.scannedTo).toBe(new Date(NOW_MS - 20_000_000).toISOString());
	const all = await ask("/activity?type=sale");
	// Nobody knows what Ethereum has before that: what Base sold earlier waits for a later page.
	expect(all.body.scannedTo).toBe(new Date(NOW_MS - 5_000_000).toISOString());
	expect(all.body.data).toHaveLength(1);
	expect((await walk("type=sale")).map(({ chain }) => chain)).toEqual(["base", "base", "ethereum"]);
});

test("a time is entered at its block, however much came after it", async () => {
	await crowd(21_000);
	const before = new Date(NOW_MS - 20_500_000);
	expect(await blockBefore(database.db, ethereum.id, before)).toBe(900_000_000 - 20_500 + 600);
	expect(await blockBefore(database.db, base.id, before)).toBeNull();
	const query = `chain=ethereum&limit=2&before=${encodeURIComponent(before.toISOString())}`;
	const { body } = await ask(`/activity?${query}`);
	expect(body.data.map(({ tokenId }: { tokenId: string }) => tokenId)).toEqual(["20501", "20502"]);
});
