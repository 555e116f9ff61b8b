import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { createToolLab } from "#plugins/market-index/agent/testing/createToolLab.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { seedOrder } from "#plugins/market-index/testing/seedOrder.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a tool says what the route says, of the same moment, in a line of its own.

const KILN = contractOf(0x111);
const AT = new Date(NOW_MS - 3 * MINUTE_MS);

let database: TestDatabase;
let fixture: Fixture;
let lab: ReturnType<typeof createToolLab>;
let ask: (path: string) => Promise<Answer>;
let id: number;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	fixture.prices.setEth(2_000);
	await fixture.seed(ethereum, [
		saleOf(KILN, { tokenId: 7n, totalRaw: ETH / 2n }),
		saleOf(KILN, { tokenId: 8n, totalRaw: ETH, occurredAtMs: NOW_MS - 2 * HOUR_MS }),
		saleOf(KILN, { tokenId: 9n, totalRaw: 3n * ETH, occurredAtMs: NOW_MS - 3 * DAY_MS }),
		mintOf(KILN, { tokenId: 10n, quantity: 1n, occurredAtMs: NOW_MS - 10 * MINUTE_MS }),
	]);
	await fixture.seed(base, [saleOf(contractOf(0x222), { totalRaw: ETH / 4n })]);
	id = await fixture.idOf(ethereum, KILN);
	await database.db.execute(
		`update market_index.collection set slug = 'kiln-folk', name = 'Kiln Folk', max_supply = 10000,
			provider_owners = 3120, provider_owners_at = $2, listed_count = 214, listed_at = $2,
			floor_native = 420000000000000000, floor_at = $2 where id = $1`,
		[id, AT],
	);
	await database.db.execute(
		`insert into market_index.sync (collection_id, chain_id, orders_at, offers_at, traits_at)
		values ($1, 1, $2, $2, $2)`,
		[id, AT],
	);
	await seedOrder(database.db, { collectionId: id, totalRaw: ETH / 2n, tokenId: 7n });
	await seedOrder(database.db, { collectionId: id, totalRaw: ETH / 4n, isPrivate: true });
	const bid = { kind: "collection_offer", tokenId: null, totalRaw: ETH / 3n } as const;
	await seedOrder(database.db, { collectionId: id, ...bid });
	await database.db.execute(
		`insert into market_index.trait_count (collection_id, trait_type, value, tokens, floor_native)
		values ($1, 'Glaze', 'Ash', 311, 1400000000000000000), ($1, 'Glaze', 'Salt', 20, null),
			($1, 'Kiln', 'Anagama', 3, null)`,
		[id],
	);
	await database.db.execute(
		`insert into market_index.token
			(collection_id, token_id, name, traits, rank, source, fetched_at)
		values ($1, 7, 'Folk 7', '[{"type":"Glaze","value":"Ash"}]', 12, 'chain', $2)`,
		[id, AT],
	);
	await database.db.execute(
		`insert into market_index.drop
			(chain_id, contract, provider_slug, name, type, is_minting, stages, starts_at, seen_at)
		values (1, $1, 'soon', 'Soon', 'x', false, '[]', $2, $3)`,
		[Buffer.from(contractOf(0x333).slice(2), "hex"), new Date(NOW_MS + HOUR_MS), AT],
	);
	lab = createToolLab(fixture);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

const COLLECTION = {
	slug: "kiln-folk",
	chain: "ethereum",
	contractAddress: KILN,
	name: "Kiln Folk",
};
const get = async (path: string) => (await ask(path)).body;
const detail = () => get("/collections/kiln-folk");

test("floor, summary, mints and lifecycle equal those of the collection's page", async () => {
	const { market, figures, mint } = await detail();
	const floor = await lab.tell("read_floor", { collection: "Kiln Folk" });
	expect(floor.output).toEqual({
		collection: COLLECTION,
		floor: figures.floorNative,
		floorUsd: market.floor_price_usd,
		change24h: figures.floorChange24hPercent,
		missing: null,
	});
	expect(floor.line).toBe("Kiln Folk (ethereum) floor 0.42 ETH ($840.00), 24h –");
	expect(floor.asOfMs).toBe(AT.getTime());
	const summary = await lab.tell("read_collection", { collection: "kiln-folk" });
	expect(summary.output).toEqual({
		collection: COLLECTION,
		lifecycle: market.lifecycle,
		floor: figures.floorNative,
		floorUsd: market.floor_price_usd,
		volume24h: figures.volume24hNative,
		sales24h: figures.sales24h,
		owners: figures.ownersCount,
		listed: figures.listedCount,
		supply: figures.totalSupply,
	});
	expect(summary.line).toBe(
		"Kiln Folk (ethereum) floor 0.42 ETH ($840.00), 24h volume 1.5 ETH, sales 2, owners 3,120, " +
			"listed 214, supply not known",
	);
	const mints = await lab.tell("read_mints", { collection: KILN });
	expect(mints.output).toMatchObject({
		isMinting: mint.active,
		price: figures.mintPriceNative,
		mints1h: figures.mints1h,
		minted: figures.mintedSupply,
		lastMintAt: market.lastMintAt,
	});
	expect(mints.line).toContain("last hour 1, price free, last mint 2026-03-10 14:27 UTC");
	const lifecycle = await lab.tell("read_lifecycle", { collection: "kiln folk", chain: "eth" });
	expect(lifecycle.output).toMatchObject({
		lifecycle: market.lifecycle,
		revealState: market.revealState,
		minted: figures.mintedSupply,
	});
	expect(lifecycle.line).toStartWith(
		"Kiln Folk (ethereum) stage minting, reveal not known, minted ",
	);
	expect(fixture.touched).toContainEqual([id, "detail"]);
});

test("the volume of a window equals that of trending, and of 24 hours that of the page", async () => {
	for (const window of ["5m", "1h", "6h", "24h", "7d"]) {
		const { rows } = await get(`/trending?chain=ethereum&window=${window}`);
		const row = rows.find(({ slug }: { slug: string }) => slug === "kiln-folk");
		const { output, line } = await lab.tell("read_volume", { collection: "kiln-folk", window });
		expect(output.volume).toMatchObject({
			value: row.volumeNative,
			valueRaw: row.volumeRaw,
			window,
		});
		expect(output.sales.value).toBe(row.sales);
		expect(line).toStartWith(`Kiln Folk (ethereum) ${window} volume `);
	}
	const { figures } = await detail();
	const day = await lab.tell("read_volume", { collection: "kiln-folk" });
	expect(day.output).toMatchObject({ volume: figures.volume24hNative, sales: figures.sales24h });
	const month = await lab.tell("read_volume", { collection: "kiln-folk", window: "30d" });
	expect(month.line).toBe("Kiln Folk (ethereum) 30d volume 4.5 ETH, sales 3");
});

test("sales equal the newest of the sales route, with its figures", async () => {
	const { points, tiles, coverage } = await get("/collections/kiln-folk/sales?limit=5");
	const { output, line } = await lab.tell("read_sales", { collection: "kiln-folk" });
	expect(output.latest).toHaveLength(3);
	for (const [index, sale] of output.latest.entries()) expect(points[index]).toMatchObject(sale);
	expect(output.coverage).toEqual(coverage);
	const named = { sales24h: "sales24h", median24h: "medianPrice24h", lowest24h: "lowestSale24h" };
	for (const [name, key] of Object.entries(named)) {
		const {
			label,
			key: found,
			...figure
		} = tiles.find((tile: { key: string }) => tile.key === key);
		expect([found, label, output[name]]).toEqual([key, expect.any(String), figure]);
	}
	expect(line).toBe(
		"Kiln Folk (ethereum) 24h sales 2, volume 1.5 ETH, median 0.75 ETH, " +
			"last #7 0.5 ETH 2026-03-10 13:37 UTC",
	);
});

test("order book and depth equal those of their routes, and a private listing is never the best ask", async () => {
	const listings = await get("/collections/kiln-folk/listings?limit=5");
	const offers = await get("/collections/kiln-folk/offers?limit=5");
	const book = await lab.tell("read_order_book", { collection: "kiln-folk" });
	expect(book.output.listings).toHaveLength(2);
	for (const [at, order] of book.output.listings.entries()) {
		expect(listings.data[at]).toMatchObject(order);
	}
	for (const [at, order] of book.output.offers.entries())
		expect(offers.data[at]).toMatchObject(order);
	expect(book.output.bookReadAt).toBe(listings.bookReadAt);
	expect(book.line).toBe(
		"Kiln Folk (ethereum) best listing 0.5 ETH ($1,000) (#7), best offer 0.3333 ETH ($666.67) " +
			"(collection)",
	);
	expect(book.asOfMs).toBe(AT.getTime());
	const { asks, bids, bookReadAt } = await get("/collections/kiln-folk/depth");
	const depth = await lab.tell("read_depth", { collection: "kiln-folk" });
	expect(depth.output).toEqual({ collection: COLLECTION, asks, bids, bookReadAt });
	expect(depth.line).toBe("Kiln Folk (ethereum) asks 1 at 0.5 ETH, bids 1 at 0.3333 ETH");
	expect(depth.asOfMs).toBe(AT.getTime());
});

test("traits, holders and a token equal those of their routes", async () => {
	const page = await get("/collections/kiln-folk/traits");
	const traits = await lab.tell("read_traits", { collection: "kiln-folk" });
	expect(traits.output).toMatchObject({ traits: page.data, hasMore: false });
	expect(traits.line).toBe(
		"Kiln Folk (ethereum) rarest Kiln: Anagama 3, traits Glaze: Ash 311 from 1.4 ETH, " +
			"Glaze: Salt 20, Kiln: Anagama 3",
	);
	expect(traits.output.rarest).toEqual([page.data[2], page.data[1], page.data[0]]);
	expect(traits.asOfMs).toBe(AT.getTime());
	const one = await lab.tell("read_traits", { collection: "kiln-folk", trait: "Kiln" });
	expect(one.output.traits).toEqual([page.data[2]]);

	const before = await lab.tell("read_holders", { collection: "kiln-folk" });
	expect(before.output.holders).toBeNull();
	expect(before.line).toBe("Kiln Folk (ethereum) owners 3,120, largest holders not known");
	await database.db.execute(
		`with walk as (
			insert into market_index.ownership
				(collection_id, chain_id, address, next_block, end_block, minted, owners)
			select id, chain_id, address, 2, 1, 5, 2 from market_index.collection where id = $1
			returning set_id
		)
		insert into market_index.holder (set_id, owner, units)
		select set_id, decode(repeat(owner, 20), 'hex'), units from walk,
			(values ('aa', 2::numeric), ('bb', 3)) as given (owner, units)`,
		[id],
	);
	const { data } = await get("/collections/kiln-folk/holders?limit=10");
	const holders = await lab.tell("read_holders", { collection: "kiln-folk" });
	expect(holders.output).toMatchObject({
		holders: data,
		owners: (await detail()).figures.ownersCount,
	});
	expect(holders.line).toBe(
		"Kiln Folk (ethereum) owners 2, largest 0xbbbb…bbbb 3 (60 %) / 0xaaaa…aaaa 2 (40 %), " +
			"ten largest 100 %",
	);

	const asset = await get(`/assets/ethereum/${KILN}/7`);
	const token = await lab.tell("read_token", { collection: "kiln-folk", token: "7" });
	expect(asset).toMatchObject(token.output.token);
	expect(token.output.collection).toEqual(COLLECTION);
	expect(token.line).toBe(
		"Kiln Folk (ethereum) #7 rank 12, owner not known, listed 0.5 ETH ($1,000), " +
			"last sold 0.5 ETH 2026-03-10 13:37 UTC, Glaze: Ash",
	);
	expect(token.asOfMs).toBe(AT.getTime());
	const nobodys = lab.ask("read_token", { collection: "kiln-folk", token: "4041" });
	await expect(nobodys).rejects.toMatchObject({ code: "not_found", status: 404 });
});

test("drops, trending, discover and search equal those of their routes", async () => {
	const drops = await lab.tell("read_drops", { state: "upcoming" });
	const told = (await get("/drops?state=upcoming")).data;
	for (const [at, drop] of drops.output.drops.entries()) expect(told[at]).toMatchObject(drop);
	expect(drops.line).toBe("Drops upcoming: Soon (ethereum) from 2026-03-10 15:37 UTC");
	expect(drops.asOfMs).toBe(AT.getTime());
	expect((await lab.tell("read_drops", { chain: "base" })).line).toBe("Drops: none known");

	const lane = { chainId: 1, lane: "sale", headBlock: 9, indexedBlock: 8 } as const;
	fixture.progress.set(ethereum.id, { ...lane, indexedAtMs: NOW_MS - 4_000 });
	const trending = await lab.tell("read_trending", { chain: "ethereum", window: "7d" });
	const { rows, freshness } = await get("/trending?chain=ethereum&window=7d&limit=10");
	const { floorChangePercent, ...first } = trending.output.rows[0];
	expect(rows[0]).toMatchObject(first);
	expect(floorChangePercent).toBeNull();
	expect(trending.output.freshness).toEqual(freshness);
	expect(trending.line).toBe("Trending 7d: Kiln Folk (ethereum) 3 sales 4.5 ETH");
	expect(trending.asOfMs).toBe(NOW_MS - 4_000);

	const discover = await lab.tell("read_discover", { chain: "ethereum" });
	const sections = await get("/discover?chain=ethereum&limit=5");
	for (const name of ["trending", "market", "minting"]) {
		expect(sections[name]).toMatchObject(discover.output[name]);
	}
	expect(discover.line).toBe(
		"Market: most sales Kiln Folk (ethereum) 2; most volume Kiln Folk (ethereum) 1.5 ETH; " +
			"minting Kiln Folk (ethereum) 1/h",
	);
	const found = await lab.tell("search_collections", { query: "kiln" });
	expect((await get("/search?q=kiln")).data).toMatchObject(found.output.hits);
	expect(found.line).toBe('1 found for "kiln": Kiln Folk (ethereum) 0x0000…0111');
	const none = await lab.tell("search_collections", { query: "zzz" });
	expect(none.line).toBe('No collection found for "zzz"');
	fixture.progress.delete(ethereum.id);
});

test("invalid or too long input never reaches a tool", () => {
	const bad: [string, unknown][] = [
		["read_floor", {}],
		["read_floor", { collection: "" }],
		["read_floor", { collection: "  " }],
		["read_floor", { collection: "a\nb" }],
		["read_floor", { collection: "a".repeat(129) }],
		["read_floor", { collection: "kiln", chain: "x".repeat(65) }],
		["read_floor", { collection: "kiln", slug: "other" }],
		["read_volume", { collection: "kiln", window: "soon" }],
		["read_past_floor", { collection: "kiln", when: "yesterday" }],
		["read_trending", { by: "luck" }],
		["read_trending", { window: "30d" }],
		["read_token", { collection: "kiln", token: (2n ** 256n).toString() }],
		["read_token", { collection: "kiln", token: "0x1" }],
		["read_drops", { state: "soon" }],
		["search_collections", { query: "a".repeat(129) }],
	];
	for (const [name, input] of bad) {
		const tool = lab.tools.find((one) => one.name === name);
		expect([name, input, tool?.input.safeParse(input).success]).toEqual([name, input, false]);
	}
});

test("every tool's schemas are JSON schemas, with a description of each field of its input", () => {
	for (const { name, input, output } of lab.tools) {
		const taken = z.toJSONSchema(input, { io: "input" });
		expect([name, taken.type, taken.additionalProperties]).toEqual([name, "object", false]);
		for (const [field, schema] of Object.entries(taken.properties ?? {})) {
			const described = typeof schema === "object" ? schema.description : undefined;
			expect([name, field, described]).toEqual([name, field, expect.any(String)]);
		}
		expect([name, z.toJSONSchema(output).type]).toEqual([name, "object"]);
	}
});

test("every tool only reads, is open to everybody, and has its own name", () => {
	expect(new Set(lab.tools.map(({ name }) => name)).size).toBe(19);
	for (const { name, effect, access, capability } of lab.tools) {
		expect(name).toMatch(/^(read|search)(_[a-z]+)+$/);
		expect({ effect, access, capability }).toEqual({
			effect: "read",
			access: "everybody",
			capability: "market",
		});
	}
});
