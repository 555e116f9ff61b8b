import { afterAll, beforeAll, expect, test } from "bun:test";
import { createBookReads } from "#plugins/market-index/orderBook.ts";
import { followedSlugs } from "#plugins/market-index/sync/sql/syncs.ts";
import { ETH, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import { seedOrder } from "#plugins/market-index/testing/seedOrder.ts";
import { TRAIT_VALUES_MAX } from "#plugins/market-index/tokens/model.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());

const at = new Date(NOW_MS);
const know = (tokenId: number, rank: number | null) =>
	database.db.execute(
		`insert into market_index.token (collection_id, token_id, rank, traits, source)
		values (1, $1, $2, '[{"type":"Eyes","value":"Laser"}]', 'chain')`,
		[tokenId, rank],
	);

test("listings that anybody may fill now are returned with rank and traits, best rank first", async () => {
	const { db } = database;
	await Promise.all([know(1, 9), know(2, 3), know(3, null)]);
	const of = (tokenId: bigint, change: object = {}) =>
		seedOrder(db, { collectionId: 1, tokenId, ...change });
	const dear = await of(2n, { totalRaw: 3n * ETH });
	const several = await of(2n, { totalRaw: 4n * ETH, quantity: 2n });
	const unranked = await of(3n);
	const unread = await of(4n, { currency: null });
	const ranked = await of(1n);
	await of(1n, { isPrivate: true });
	await of(1n, { isActive: false });
	await of(1n, { expiresAtMs: NOW_MS });
	await of(1n, { startsAtMs: NOW_MS + 1 });
	await of(1n, { kind: "item_offer" });
	await seedOrder(db, { collectionId: 2, tokenId: 1n });
	const found = await createBookReads(db).listings(1, at);
	expect(found.slice(0, 3).map(({ orderHash }) => orderHash)).toEqual([
		several.orderHash,
		dear.orderHash,
		ranked.orderHash,
	]);
	expect(new Set(found.slice(3).map(({ orderHash }) => orderHash))).toEqual(
		new Set([unranked.orderHash, unread.orderHash]),
	);
	expect(found[0]).toMatchObject({
		...{ tokenId: "2", rank: 3, quantity: 2n, totalRaw: 4n * ETH, maker: dear.maker },
		traits: [{ type: "Eyes", value: "Laser" }],
	});
	expect(found.find(({ tokenId }) => tokenId === "4")).toMatchObject({
		...{ rank: null, traits: [], currency: null },
	});
});

test("a watched book is due at once if it is urgent, and not read twice in ten seconds", async () => {
	const { db } = database;
	const book = createBookReads(db);
	const due = async () => {
		const [row] = await db.query<{ due: Date; watched: Date | null }>(
			`select orders_due_at as due, watched_until as watched from market_index.sync
			where collection_id = 1`,
		);
		return row;
	};
	const later = new Date(NOW_MS + 60_000);
	await db.execute(
		`insert into market_index.collection (chain_id, address, standard, slug)
		values (1, '\\x01', 'erc721', 'cats')`,
	);
	await db.execute(
		`insert into market_index.sync (collection_id, chain_id, provider_slug, orders_due_at)
		values (1, 1, 'cats', $1)`,
		[later],
	);
	await book.watch([1], { at, isUrgent: false });
	expect(await due()).toEqual({ due: later, watched: new Date(NOW_MS + 300_000) });
	await book.watch([1], { at, isUrgent: true });
	expect((await due())?.due).toEqual(at);
	await db.execute("update market_index.sync set orders_at = $1, orders_due_at = $2", [at, later]);
	await book.watch([1], { at: new Date(NOW_MS + 9_000), isUrgent: true });
	expect((await due())?.due).toEqual(later);
	const followed = () => followedSlugs(db, { chainIds: [1], nowMs: NOW_MS + 400_000, limit: 1 });
	await db.execute(
		`insert into market_index.collection (chain_id, address, standard, slug, last_sale_at)
		values (1, '\\x02', 'erc721', 'dogs', $1)`,
		[at],
	);
	await db.execute(
		"insert into market_index.sync (collection_id, chain_id, provider_slug) values (2, 1, 'dogs')",
	);
	expect(await followed()).toEqual(["dogs"]);
	await book.follow([1], new Date(NOW_MS + 390_000));
	expect(await followed()).toEqual(["cats"]);
});

test("an unknown floor is null, and trait values are normalised", async () => {
	const { db } = database;
	const book = createBookReads(db);
	expect(await book.floor(1)).toBeNull();
	await db.execute("update market_index.collection set floor_native = 5, floor_at = $1", [at]);
	expect(await book.floor(1)).toEqual({ native: 5n, at });
	await db.execute(
		`insert into market_index.trait_count (collection_id, trait_type, value, tokens)
		values (1, ' Eyes', 'LASER ', 1)`,
	);
	expect(await book.traitValues(1)).toEqual([{ type: "eyes", value: "laser" }]);
	await db.execute(
		`insert into market_index.trait_count (collection_id, trait_type, value, tokens)
		select 1, 'Number', n, 1 from generate_series(2, $1::int4) as n`,
		[TRAIT_VALUES_MAX],
	);
	// Rarer ones were not counted: that a value is not among these says nothing.
	expect(await book.traitValues(1)).toBeNull();
});
