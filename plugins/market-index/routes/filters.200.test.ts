import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "#core/db/Database.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	canBeFilled,
	compareKnown,
	type Dice,
	drawTraits,
	seedListings,
	seedTokens,
	type WorldToken,
} from "#plugins/market-index/testing/filterWorld.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createDice } from "#plugins/market-index/testing/randomTrades.ts";
import { markBookRead, type SeededOrder } from "#plugins/market-index/testing/seedOrder.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";

// Guarantee: whatever is asked of a market by filter and sort, the pages together hold what a second,
// plain reading of the same world holds: each row once, in order, after forks too.

const WORLDS = process.env["PROVE"] === "1" ? 2_000 : 200;
const TOKENS = 12;

type World = { seed: number; dice: Dice; path: string; id: number };

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;
let placed = 0;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db, [ethereum]);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

const seeds = Array.from({ length: WORLDS }, (_, index) => TEST_SEED * 10_000 + index);

/** A collection of its own; its first sale is older than all that worlds do. */
async function openWorld(seed: number): Promise<World> {
	const contract = contractOf(0x100_000 + ++placed);
	const first = saleOf(contract, { occurredAtMs: NOW_MS - 90 * 86_400_000, accepted: false });
	await fixture.seed(ethereum, [{ ...first, reason: "swap" }]);
	const id = await fixture.idOf(ethereum, contract);
	return { seed, dice: createDice(seed), path: `/collections/${contract}`, id };
}

/** All rows of a list, page by page. */
async function walk(path: string, rowsOf: (body: any) => any[] = ({ data }) => data) {
	const rows: any[] = [];
	let cursor = "";
	for (let pages = 0; ; pages++) {
		const { status, body } = await ask(`${path}${cursor}`);
		expect({ path, status, detail: body.detail }).toEqual({ path, status: 200, detail: undefined });
		rows.push(...rowsOf(body));
		expect(body.page.hasMore).toBe(body.page.nextCursor !== null);
		expect(pages).toBeLessThan(500);
		if (body.page.nextCursor === null) return rows;
		cursor = `&cursor=${body.page.nextCursor}`;
	}
}

describe("getListings", () => {
	/** The listings in the order that is asked for. */
	function sorted(orders: readonly SeededOrder[], tokens: readonly WorldToken[], sort: string) {
		const rank = ({ tokenId }: SeededOrder) => {
			const known = tokens.find((token) => token.tokenId === tokenId)?.rank ?? null;
			return known === null ? null : BigInt(known);
		};
		const start = ({ startsAtMs }: SeededOrder) =>
			startsAtMs === null ? null : BigInt(startsAtMs);
		return [...orders].sort((a, b) => {
			const byKey =
				sort === "rank"
					? compareKnown(rank(a), rank(b))
					: sort === "time"
						? compareKnown(start(a), start(b), -1)
						: compareKnown(a.unitNative, b.unitNative);
			return byKey || (a.orderHash < b.orderHash ? -1 : 1);
		});
	}

	test(`listings by price, rank, time and traits are those of a plain reading (${WORLDS} worlds)`, async () => {
		for (const seed of seeds) {
			const { dice, path, id } = await openWorld(seed);
			const { db } = database;
			await markBookRead(db, id);
			const tokens = await seedTokens(db, dice, { collectionId: id, count: TOKENS });
			const orders = await seedListings(db, dice, { collectionId: id, count: 12, tokens: TOKENS });
			await noteTraits(db, id);
			for (const sort of ["price", "rank", "time"]) {
				const traits = dice(2) === 0 ? null : drawTraits(dice);
				const listed = orders.filter(
					(order) =>
						canBeFilled(order) &&
						(traits?.passes(tokens.find(({ tokenId }) => tokenId === order.tokenId)) ?? true),
				);
				const query = `sort=${sort}&limit=${1 + dice(8)}&${traits?.query ?? ""}`;
				const found = await walk(`${path}/listings?${query}`);
				expect({ seed, query, found: found.map(({ orderHash }) => orderHash) }).toEqual({
					seed,
					query,
					found: sorted(listed, tokens, sort).map(({ orderHash }) => orderHash),
				});
			}
		}
	});

	test("a filter by traits that nobody counted is not answered with an empty list", async () => {
		const { path, id } = await openWorld(0);
		await markBookRead(database.db, id);
		const asked = `${path}/listings?traits=${encodeURIComponent('[{"type":"a","value":"b"}]')}`;
		const unread = await ask(asked);
		expect(unread.body).toMatchObject({ data: null, reason: "traits_not_read" });
		await noteTraits(database.db, id);
		expect((await ask(asked)).body).toMatchObject({ data: [], reason: null });
	});
});

async function noteTraits(db: Database, collectionId: number): Promise<void> {
	await db.execute("update market_index.sync set traits_at = now() where collection_id = $1", [
		collectionId,
	]);
}
