import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { markBookRead, seedOrder } from "#plugins/market-index/testing/seedOrder.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("getAsset.200", () => {
	const CATS = contractOf(0xca75);
	const HUGE = 2n ** 256n - 1n;

	let database: TestDatabase;
	let fixture: Fixture;
	let id: number;
	let ask: (path: string) => Promise<Answer>;

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db);
		await fixture.seed(ethereum, [
			saleOf(CATS, { tokenId: 7n }),
			mintOf(CATS, { tokenId: 8n, payload: { traits: [{ trait_type: "Hat", value: "Told" }] } }),
		]);
		id = await fixture.idOf(ethereum, CATS);
		await database.db.execute(
			`insert into market_index.token (collection_id, token_id, name, description, image_url,
			token_uri, token_uri_hash, traits, rank, source, fetched_at)
		values ($1, 7, 'Cat 7', 'A cat.', 'ipfs://cat/7.png', 'ipfs://cat/7', '\\xab', $2::jsonb, 3,
			'chain', '2026-03-10T12:00:00Z'),
			($1, 8, null, null, null, null, null, $2::jsonb, null, null, null),
			($1, $3::numeric, null, null, null, null, null, null, null, null, null)`,
			[
				id,
				JSON.stringify([
					{ type: "Hat", value: "Red" },
					{ type: "Level", value: "5", displayType: "number" },
				]),
				HUGE,
			],
		);
		ask = createAsk(fixture);
	});
	afterAll(() => database.drop());

	const TRAITS = [
		{ trait_type: "Hat", value: "Red" },
		{ trait_type: "Level", value: "5", display_type: "number" },
	];

	test("[API-13] a token is returned with metadata, traits, rank and its collection", async () => {
		for (const chain of ["ethereum", "1"]) {
			for (const contract of [CATS, CATS.toUpperCase().replace("0X", "0x")]) {
				const { status, body } = await ask(`/assets/${chain}/${contract}/7`);
				expect(status).toBe(200);
				expect(body).toEqual({
					chain: "ethereum",
					contractAddress: CATS,
					tokenId: "7",
					standard: "erc721",
					name: "Cat 7",
					description: "A cat.",
					imageUrl: "ipfs://cat/7.png",
					animationUrl: null,
					traits: TRAITS,
					rank: 3,
					tokenUri: "ipfs://cat/7",
					tokenUriHash: "0xab",
					source: "chain",
					fetchedAt: "2026-03-10T12:00:00.000Z",
					owner: null,
					collection: { slug: CATS, name: null, imageUrl: null, revealState: "unknown" },
					slug: CATS,
					explorerUrl: `https://etherscan.io/token/${CATS}?a=7`,
					...{ listing: null, bookReadAt: null },
				});
			}
		}
	});

	test("a token has its cheapest listing that anybody may fill, once the book was read", async () => {
		const order = (totalRaw: bigint, more = {}) =>
			seedOrder(database.db, { collectionId: id, tokenId: 7n, totalRaw, ...more });
		await order(3n * ETH);
		await order(ETH, { isPrivate: true });
		await order(ETH, { kind: "item_offer" });
		await order(ETH, { tokenId: 8n });
		const { orderHash } = await order(2n * ETH);
		const path = `/assets/ethereum/${CATS}/7`;
		expect((await ask(path)).body).toMatchObject({ listing: null, bookReadAt: null });
		await markBookRead(database.db, id);
		fixture.prices.setEth(2_000);
		expect((await ask(path)).body).toMatchObject({
			listing: { orderHash, priceNative: 2, priceUsd: 4_000 },
			bookReadAt: new Date(NOW_MS).toISOString(),
		});
		// Its book is kept current from now on, as that of a collection whose listings are read.
		expect(fixture.touched.at(-1)).toEqual([id, "detail"]);
	});

	test("[API-13] an unknown member of a token is null, and its id stays exact", async () => {
		const { status, body } = await ask(`/assets/ethereum/${CATS}/${HUGE}`);
		expect(status).toBe(200);
		expect(body).toMatchObject({
			tokenId: HUGE.toString(),
			name: null,
			traits: null,
			rank: null,
			tokenUriHash: null,
			source: null,
			fetchedAt: null,
		});
	});

	test("[API-13] a token of a walked contract has its owner, also one in a range of ids", async () => {
		await database.db.execute(
			`with walk as (
			insert into market_index.ownership (collection_id, chain_id, address, next_block, end_block)
			select id, chain_id, address, 2, 1 from market_index.collection where id = $1
			returning set_id
		)
		insert into market_index.owned_span (set_id, from_id, to_id, owner, position)
		select set_id, from_id, to_id, decode(repeat(owner, 20), 'hex'), 1 from walk,
			(values (7::numeric, 7::numeric, 'aa'), (100, 200, 'bb'), (300, 301, '00'))
				as given (from_id, to_id, owner)`,
			[id],
		);
		expect((await ask(`/assets/ethereum/${CATS}/7`)).body.owner).toBe(`0x${"aa".repeat(20)}`);
		expect((await ask(`/assets/ethereum/${CATS}/8`)).body.owner).toBeNull();
		const inRange = await ask(`/assets/ethereum/${CATS}/150`);
		expect({ status: inRange.status, owner: inRange.body.owner }).toEqual({
			status: 200,
			owner: `0x${"bb".repeat(20)}`,
		});
		for (const gone of [201, 299, 300]) {
			expect((await ask(`/assets/ethereum/${CATS}/${gone}`)).status).toBe(404);
		}
		// A walk that is still under way may have seen a former owner only.
		await database.db.execute(
			"update market_index.ownership set end_block = 9 where collection_id = $1",
			[id],
		);
		const walking = await ask(`/assets/ethereum/${CATS}/150`);
		expect({ status: walking.status, owner: walking.body.owner }).toEqual({
			status: 200,
			owner: null,
		});
	});

	test("[IDX-12] [API-10] sales, activity and mints show their token's image, traits and rank", async () => {
		const sales = await ask(`/collections/${CATS}/sales?chain=ethereum`);
		expect(sales.body.points).toMatchObject([
			{ tokenId: "7", imageUrl: "ipfs://cat/7.png", rank: 3, traits: TRAITS },
		]);
		const activity = await ask(`/collections/${CATS}/activity?chain=ethereum`);
		const byToken = Object.fromEntries(
			activity.body.data.map((row: { tokenId: string }) => [row.tokenId, row]),
		);
		expect(byToken[7]).toMatchObject({ imageUrl: "ipfs://cat/7.png", traits: TRAITS });
		// What came with the event is what was minted then.
		expect(byToken[8].traits).toEqual([{ trait_type: "Hat", value: "Told" }]);
		const detail = await ask(`/collections/${CATS}?chain=ethereum`);
		expect(detail.body.lastSale.imageUrl).toBe("ipfs://cat/7.png");
		await database.db.execute(
			"update market_index.token set image_url = 'ipfs://cat/8.png' where token_id = 8",
		);
		const discover = await ask("/discover?chain=ethereum");
		expect(discover.body.mints).toMatchObject([
			{ tokenId: "8", imageUrl: "ipfs://cat/8.png", traits: [{ value: "Told" }] },
		]);
	});

	test("[API-13] a token known only from a sale is returned, with all else unknown", async () => {
		await fixture.seed(ethereum, [saleOf(CATS, { tokenId: 4_040n })]);
		const { status, body } = await ask(`/assets/ethereum/${CATS}/4040`);
		expect({ status, name: body.name, owner: body.owner }).toEqual({
			status: 200,
			name: null,
			owner: null,
		});
		expect((await ask(`/assets/ethereum/${CATS}/4041`)).status).toBe(404);
	});
});

describe("getHolders.200", () => {
	const CATS = contractOf(0x100);
	const HOLDERS = 23;

	let database: TestDatabase;
	let fixture: Fixture;
	let ask: (path: string) => Promise<Answer>;
	let collectionId: number;

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db);
		await fixture.seed(ethereum, [saleOf(CATS)]);
		collectionId = await fixture.idOf(ethereum, CATS);
		await database.db.execute(
			`insert into market_index.ownership (collection_id, chain_id, address, next_block, end_block)
		values ($1, 1, $2, 5, 10)`,
			[collectionId, Buffer.from(CATS.slice(2), "hex")],
		);
		// Many hold the same number, so that pages are cut within one.
		await database.db.execute(
			`insert into market_index.holder (set_id, owner, units)
		select set_id, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1 + n % 3
		from market_index.ownership, generate_series(1, ${HOLDERS}) as n`,
		);
		ask = createAsk(fixture);
	});
	afterAll(() => database.drop());

	test("[API-20] holders are unknown until all transfers of the contract are read", async () => {
		expect((await ask(`/collections/${CATS}/holders`)).body).toEqual({
			data: null,
			page: { nextCursor: null, hasMore: false },
		});
	});

	test("[API-20] [IDX-11] holders are returned largest first, each once, on pages of any size", async () => {
		await database.db.execute("update market_index.ownership set next_block = 11, minted = 60");
		const expected = Array.from({ length: HOLDERS }, (_, index) => ({
			address: contractOf(index + 1),
			units: String(1 + ((index + 1) % 3)),
		})).sort((a, b) => Number(b.units) - Number(a.units) || (a.address < b.address ? -1 : 1));
		for (const limit of [1, 4, 200]) {
			const found: unknown[] = [];
			let cursor = "";
			do {
				const { body } = await ask(`/collections/${CATS}/holders?limit=${limit}${cursor}`);
				found.push(...body.data);
				cursor = body.page.nextCursor === null ? "" : `&cursor=${body.page.nextCursor}`;
			} while (cursor !== "");
			expect(found).toEqual(expected);
		}
	});
});

describe("getTraits.200", () => {
	const CATS = contractOf(0xca75);
	const BARE = contractOf(0xba7e);
	const LONG = "漢".repeat(128);

	let database: TestDatabase;
	let ask: (path: string) => Promise<Answer>;
	let fixture: Fixture;

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db);
		await fixture.seed(ethereum, [saleOf(CATS), saleOf(BARE)]);
		const values = ["Red", "Blue", "", 'O\'Neil."x"', "😀", LONG];
		for (const type of ["Eye", "Hat", LONG]) {
			for (const [index, value] of values.entries()) {
				await database.db.execute(
					`insert into market_index.trait_count
					(collection_id, trait_type, value, tokens, floor_native)
				values ($1, $2, $3, $4, $5)`,
					[
						await fixture.idOf(ethereum, CATS),
						type,
						value,
						index + 1,
						value === "Red" ? 15n * 10n ** 17n : null,
					],
				);
			}
		}
		ask = createAsk(fixture);
	});
	afterAll(() => database.drop());

	type Row = { type: string; value: string; count: number; floorNative: number | null };

	test("[API-20] traits have counts and floors, and a value without an ask has no floor", async () => {
		const { status, body } = await ask(`/collections/${CATS}/traits?type=Hat`);
		expect(status).toBe(200);
		expect(body.data).toHaveLength(6);
		expect(body.data).toContainEqual({ type: "Hat", value: "Red", count: 1, floorNative: 1.5 });
		expect(body.data).toContainEqual({ type: "Hat", value: "Blue", count: 2, floorNative: null });
		expect(body.page).toEqual({ nextCursor: null, hasMore: false });
	});

	test("[API-20] page by page every value is returned once, however long or unusual its text is", async () => {
		const whole = (await ask(`/collections/${CATS}/traits`)).body.data as Row[];
		expect(whole).toHaveLength(18);
		for (const limit of [1, 4, 18]) {
			const seen: Row[] = [];
			let cursor = "";
			do {
				const { body } = await ask(`/collections/${CATS}/traits?limit=${limit}${cursor}`);
				seen.push(...body.data);
				cursor = body.page.nextCursor === null ? "" : `&cursor=${body.page.nextCursor}`;
			} while (cursor !== "");
			expect(seen).toEqual(whole);
		}
	});

	test("[API-20] traits that were not counted are unknown, and an unknown trait has no values", async () => {
		const page = { nextCursor: null, hasMore: false };
		expect((await ask(`/collections/${BARE}/traits`)).body).toEqual({ data: null, page });
		const id = await fixture.idOf(ethereum, CATS);
		await database.db.execute(
			`insert into market_index.sync (collection_id, chain_id, traits_at) values ($1, 1, now())
		on conflict (collection_id) do update set traits_at = excluded.traits_at`,
			[id],
		);
		expect((await ask(`/collections/${CATS}/traits?type=Wings`)).body).toEqual({ data: [], page });
	});
});
