import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	mintOf,
	NOW_MS,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what is known of a collection is told, field by field; no two fields share a value.

const CATS = contractOf(0xca75);
let database: TestDatabase;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	const fixture = createMarketFixture(database.db);
	await fixture.seed(ethereum, [mintOf(CATS, { occurredAtMs: NOW_MS - 16 * 60_000 })]);
	await database.db.execute(
		`update market_index.collection set name = 'Cats', image_url = 'ipfs://cats',
			sync_status = 'synced', last_provider_at = $1, reveal_checked_at = $2, revealed_at = $3,
			reveal_state = 'revealed', provider_owners = 11, listed_count = 12, total_supply = 13,
			max_supply = 1, floor_native = 14e17`,
		[1, 2, 3].map((day) => new Date(Date.UTC(2026, 0, day))),
	);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
const known = {
	slug: CATS,
	chain: "ethereum",
	contractAddress: CATS,
	name: "Cats",
	imageUrl: "ipfs://cats",
	syncStatus: "synced",
	lastProviderAt: day(1),
	revealCheckedAt: day(2),
	revealedAt: day(3),
	revealState: "revealed",
	floorNative: 1.4,
	floor: 1.4,
	floor_price: 1.4,
	ownersCount: 11,
	owners: 11,
	listedCount: 12,
	totalSupply: 13,
	sync: { status: "synced", coverageEnd: null },
	lastMintAt: new Date(NOW_MS - 16 * 60_000).toISOString(),
	lifecycle: "secondary",
};

test("[IDX-01] [API-06] every field of the record has its known value, in list and detail", async () => {
	const list = await ask("/collections?chain=ethereum");
	expect(list.body.normalized).toMatchObject([known]);
	const detail = await ask(`/collections/${CATS}?chain=ethereum`);
	const { changes, listedPercent, ...same } = list.body.normalized[0];
	expect(detail.body.market).toEqual(same);
	expect(listedPercent).toBeCloseTo((12 / 13) * 100, 9);
});

test("[API-22] a trending row has the collection's own holders, listings and floor", async () => {
	const { body } = await ask("/trending?chain=ethereum");
	expect(body.rows).toMatchObject([{ slug: CATS, holders: 11, listed: 12, floorNative: 1.4 }]);
});

test("[IDX-04] [API-23] discover too shows a collection that sold out 16 minutes ago as secondary", async () => {
	const { body } = await ask("/discover?chain=ethereum");
	for (const section of ["trending", "market", "minting"]) {
		expect(body[section]).toMatchObject([{ slug: CATS, lifecycle: "secondary" }]);
	}
	const ended = await ask("/trending?chain=ethereum&lifecycle=ended");
	expect(ended.body.rows).toMatchObject([{ slug: CATS, lifecycle: "secondary", soldOut: false }]);
});

test("[API-06] slug, former slug and address in any case give the same collection", async () => {
	await database.db.execute("update market_index.collection set slug = 'cats'");
	await database.db.execute(
		`insert into market_index.former_slug (chain_id, slug, collection_id)
		select chain_id, 'kittens', id from market_index.collection`,
	);
	for (const name of ["cats", "kittens", "Kittens", CATS, `0x${CATS.slice(2).toUpperCase()}`]) {
		const { status, body } = await ask(`/collections/${name}?chain=ethereum`);
		expect([status, body.market?.slug]).toEqual([200, "cats"]);
	}
});
