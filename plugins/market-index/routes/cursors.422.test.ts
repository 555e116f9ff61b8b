import { afterAll, beforeAll, expect, test } from "bun:test";
import { HOUR_MS } from "#core/time.ts";
import { createDiscoveryLab } from "#plugins/market-index/discovery/testing/discoveryLab.ts";
import {
	contractOf,
	ETH,
	ethereum,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { markBookRead, seedOrder } from "#plugins/market-index/testing/seedOrder.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a page's cursor leads on in its own list, of its own collection and filters, and
// nowhere else: a misread one would leave rows out in silence.

const CATS = contractOf(0xca75);
const DOGS = contractOf(0xd095);

let database: TestDatabase;
let lab: ReturnType<typeof createDiscoveryLab>;

beforeAll(async () => {
	database = await createTestDatabase();
	lab = createDiscoveryLab(database.db);
	const { db } = database;
	for (const [index, contract] of [CATS, DOGS].entries()) {
		const at = (hours: number) => ({ occurredAtMs: NOW_MS - hours * HOUR_MS, totalRaw: ETH });
		await lab.fixture.seed(
			ethereum,
			[5, 4, 3, 2, 1].map((hours) => saleOf(contract, at(hours))),
		);
		const collectionId = await lab.fixture.idOf(ethereum, contract);
		await db.execute("update market_index.collection set name = $2, slug = $3 where id = $1", [
			collectionId,
			`Tidal ${index}`,
			`tidal-${index}`,
		]);
		await markBookRead(db, collectionId);
		for (const kind of ["listing", "item_offer", "collection_offer"] as const) {
			const tokenId = kind === "collection_offer" ? null : 7n;
			for (const _ of [1, 2, 3]) await seedOrder(db, { collectionId, kind, tokenId });
		}
		await db.execute(
			`insert into market_index.ownership
				(collection_id, chain_id, address, next_block, end_block, minted)
			values ($1, 1, $2, 11, 10, 15)`,
			[collectionId, Buffer.from(contract.slice(2), "hex")],
		);
		await db.execute(
			`insert into market_index.token (collection_id, token_id, rank)
			select $1, n, n from generate_series(1, 5) as n`,
			[collectionId],
		);
		await db.execute(
			`insert into market_index.trait_count (collection_id, trait_type, value, tokens)
			select $1, type, value, 1 from unnest(array['Eye', 'Hat']) as type,
				unnest(array['Blue', 'Green', 'Red']) as value`,
			[collectionId],
		);
	}
	await db.execute(
		`insert into market_index.holder (set_id, owner, units)
		select set_id, decode(lpad(to_hex(n), 40, '0'), 'hex'), n
		from market_index.ownership, generate_series(1, 5) as n`,
	);
});
afterAll(() => database.drop());

/** Each list with what it can be asked; the first is whose cursor is taken. */
const LISTS: readonly (readonly string[])[] = [
	["activity", "activity?type=sale", "activity?type=transfer", "activity?venue=seaport"],
	["sales", "sales?range=30d", "sales?range=7d", `sales?account=${contractOf(0xaaaa)}`],
	["sales?minPriceNative=0.5", "sales?minPriceNative=0.6", "sales?minPriceNative=0.5&block=3"],
	["candles?interval=1h", "candles?interval=15m", "candles?interval=1d"],
	["listings", "listings?tokenId=7", "listings?tokenId=8", "listings?sort=rank"],
	["listings?sort=time", `listings?traits=${encodeURIComponent('[{"type":"a","value":"b"}]')}`],
	["offers", "offers?kind=item_offer", "offers?tokenId=7"],
	["tokens", "tokens?sort=rank", "tokens?maxRank=9", "tokens?sort=price&maxPriceNative=2"],
	["holders"],
	["traits", "traits?type=Hat", "traits?type=Eye"],
];
const of = (collection: string, tail: string) => `/collections/${collection}/${tail}`;
const SEARCHES = ["/search?q=tidal", "/search?q=tid", "/search?q=tidal&chain=ethereum"];
const RANKED = ["/trending", "/trending?window=7d", "/collections", "/collections?mode=top"];
/** All lists there are, by collection. */
const all = [
	...[CATS, DOGS].flatMap((one) => LISTS.flat().map((tail) => of(one, tail))),
	...SEARCHES,
	...RANKED,
];

const also = (path: string, query: string) => `${path}${path.includes("?") ? "&" : "?"}${query}`;

async function cursorOf(path: string): Promise<string> {
	const { status, body } = await lab.ask(also(path, "limit=1"));
	expect({ path, status }).toEqual({ path, status: 200 });
	const rows = body.normalized ?? body.data ?? body.points ?? body.candles ?? body.rows;
	expect({ path, rows: rows.length, hasMore: body.page.hasMore }).toEqual({
		path,
		rows: 1,
		hasMore: true,
	});
	return body.page.nextCursor;
}

const own = [...LISTS.map(([tail = ""]) => of(CATS, tail)), SEARCHES[0] ?? "", ...RANKED];

for (const path of own) {
	test(`the cursor of ${path} works there with any page size, and is refused elsewhere`, async () => {
		const cursor = await cursorOf(path);
		for (const limit of [1, 2, 200]) {
			const { status } = await lab.ask(also(path, `limit=${limit}&cursor=${cursor}`));
			expect({ path, limit, status }).toEqual({ path, limit, status: 200 });
		}
		for (const other of all) {
			if (other === path) continue;
			const { status, body } = await lab.ask(also(other, `cursor=${cursor}`));
			expect({ other, status, code: body.code }).toEqual({
				other,
				status: 422,
				code: "cursor_mismatch",
			});
			expect(body.issues[0].path).toBe("cursor");
			expect(body.detail).toContain("leave it out to begin anew");
		}
	});
}

test("a collection's cursor works with any of its names, and with or without its chain", async () => {
	const cursor = await cursorOf(of(CATS, "activity"));
	for (const path of [
		of("tidal-0", "activity"),
		of(CATS.toUpperCase().replace("0X", "0x"), "activity?chain=1"),
	]) {
		expect((await lab.ask(also(path, `cursor=${cursor}`))).status).toBe(200);
	}
});

test("an empty cursor gives the first page of every list", async () => {
	for (const path of all) {
		const [without, empty] = [await lab.ask(path), await lab.ask(also(path, "cursor="))];
		expect({ path, status: empty.status }).toEqual({ path, status: 200 });
		expect(empty.body).toEqual(without.body);
	}
});

test("a misspelled parameter is refused on every list, and not ignored", async () => {
	for (const path of [...all, "/collections", "/discover", "/trending", "/drops"]) {
		const { status, body } = await lab.ask(also(path, "chian=ethereum"));
		expect({ path, status }).toEqual({ path, status: 422 });
		expect(body.issues[0].path).toBe("chian");
		if (!path.includes("chain=")) expect(body.issues[0].message).toContain("did you mean chain?");
	}
});
