import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import { pick, pickAccount } from "#plugins/market-index/testing/filterWorld.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createDice } from "#plugins/market-index/testing/randomTrades.ts";
import { type SeededOrder, seedOrder } from "#plugins/market-index/testing/seedOrder.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";

// Guarantee: what was listed, offered and cancelled is told only where it is asked for, each order
// once, newest first, and never as if nothing were missing.

const WORLDS = process.env["PROVE"] === "1" ? 1_000 : 100;
const ENDED = [null, "expired", "filled", "gone", "missing"];

type Kept = SeededOrder & { retiredAtMs: number | null; ended: string | null };

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;
let placed = 0;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db, [ethereum, base]);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

async function openBook(seed: number, count: number) {
	const dice = createDice(seed);
	const contract = contractOf(0x200_000 + ++placed);
	await fixture.seed(ethereum, [saleOf(contract)]);
	const collectionId = await fixture.idOf(ethereum, contract);
	const orders: Kept[] = [];
	for (let index = 0; index < count; index++) {
		const kind = pick(dice, ["listing", "listing", "item_offer", "collection_offer"] as const);
		const totalRaw = BigInt(1 + dice(9)) * ETH;
		const ended = pick(dice, ENDED);
		const isActive = dice(2) === 0;
		const order = await seedOrder(database.db, {
			...{ collectionId, kind, totalRaw, isActive, maker: pickAccount(dice) },
			tokenId: kind === "collection_offer" ? null : BigInt(dice(4)),
			unitNative: dice(5) === 0 ? null : totalRaw,
			startsAtMs: pick(dice, [null, NOW_MS + 1, NOW_MS - dice(12) * DAY_MS, NOW_MS - HOUR_MS]),
		});
		const retiredAtMs = isActive ? null : NOW_MS - dice(6) * DAY_MS;
		orders.push({ ...order, retiredAtMs, ended: isActive ? null : ended });
	}
	await database.db.execute(
		`update market_index.market_order as o set retired_at = given.at, retired_as = given.ended
		from unnest($1::bytea[], $2::timestamptz[], $3::int2[]) as given (hash, at, ended)
		where o.order_hash = given.hash`,
		[
			orders.map(({ orderHash }) => Buffer.from(orderHash.slice(2), "hex")),
			orders.map(({ retiredAtMs }) => (retiredAtMs === null ? null : new Date(retiredAtMs))),
			orders.map(({ ended }) => (ended === null ? null : ENDED.indexOf(ended))),
		],
	);
	return { dice, path: `/collections/${contract}/activity`, contract, orders };
}

async function walk(path: string): Promise<any[]> {
	const rows: any[] = [];
	let cursor = "";
	do {
		const { status, body } = await ask(`${path}&cursor=${cursor}`);
		expect({ path, status, data: body.data }).toEqual({ path, status: 200, data: [] });
		rows.push(...body.orders);
		cursor = body.page.nextCursor ?? "";
	} while (cursor !== "");
	return rows;
}

const timeOf = (type: string) => (order: Kept) =>
	type === "cancelled" ? order.retiredAtMs : order.startsAtMs;

function happened(type: string, { kind, startsAtMs, isActive, ended }: Kept): boolean {
	if (type === "cancelled") return !isActive && (ended === "gone" || ended === "missing");
	if (startsAtMs === null || startsAtMs > NOW_MS) return false;
	return (kind === "listing") === (type === "listed");
}

test(`orders by type, token, maker, price and time are those of a plain reading (${WORLDS} worlds)`, async () => {
	for (let seed = TEST_SEED * 1_000; seed < TEST_SEED * 1_000 + WORLDS; seed++) {
		const { dice, path, orders } = await openBook(seed, 16);
		for (const type of ["listed", "offered", "cancelled"]) {
			const atOf = timeOf(type);
			let expected = orders.filter((order) => happened(type, order));
			const parts = [`type=${type}`, `limit=${1 + dice(6)}`];
			const keep = (part: string, passes: (order: Kept) => boolean) => {
				parts.push(part);
				expected = expected.filter(passes);
			};
			const account = pickAccount(dice);
			if (dice(4) === 0) keep(`account=${account}`, ({ maker }) => maker === account);
			if (dice(4) === 0) keep("tokenId=2", ({ tokenId }) => tokenId === 2n);
			if (dice(4) === 0) {
				keep("minPriceNative=4", ({ unitNative }) => unitNative !== null && unitNative >= 4n * ETH);
			}
			const moment = NOW_MS - dice(8) * DAY_MS;
			const text = encodeURIComponent(new Date(moment).toISOString());
			const side = dice(4);
			if (side === 0) keep(`after=${text}`, (order) => (atOf(order) ?? 0) >= moment);
			if (side === 1) keep(`before=${text}`, (order) => (atOf(order) ?? 0) < moment);
			expected.sort(
				(a, b) => (atOf(b) ?? 0) - (atOf(a) ?? 0) || (a.orderHash < b.orderHash ? -1 : 1),
			);
			const query = parts.join("&");
			const rows = await walk(`${path}?${query}`);
			expect({ seed, query, rows: rows.map(shownOf) }).toEqual({
				...{ seed, query },
				rows: expected.map((order) => ({
					...{ orderHash: order.orderHash, type, ended: order.ended },
					at: new Date(atOf(order) ?? 0).toISOString(),
				})),
			});
		}
	}
});

const shownOf = ({ orderHash, eventType, ended, occurredAt }: any) => ({
	...{ orderHash, type: eventType, ended, at: occurredAt },
});

test("orders of all collections are told by chain, and say how far back they are kept", async () => {
	const all = await walk("/activity?type=listed&limit=200");
	expect(all.length).toBeGreaterThan(100);
	const times = all.map(({ occurredAt }) => occurredAt);
	expect(times).toEqual([...times].sort().reverse());
	const { body } = await ask("/activity?type=listed&chain=base");
	expect(body).toEqual({
		...{ data: [], orders: [], page: { nextCursor: null, hasMore: false }, scannedTo: null },
		coverage: {
			listed: { from: new Date(NOW_MS - 7 * DAY_MS).toISOString(), until: null, fraction: null },
		},
	});
	const { contract } = await openBook(1, 8);
	const token = await walk(`/assets/ethereum/${contract}/2/activity?type=listed`);
	for (const { tokenId, slug } of token) expect([tokenId, slug]).toEqual(["2", contract]);
});

test("activity without such a type has no orders, and filters that no order has are refused", async () => {
	const { path, contract } = await openBook(2, 3);
	for (const list of [path, "/activity", `/assets/ethereum/${contract}/1/activity`]) {
		expect((await ask(list)).body.orders).toBeNull();
	}
	const [a, b] = [contractOf(1), contractOf(2)];
	for (const [query, at] of [
		[`to=${a}`, "to"],
		["venue=seaport", "venue"],
		["block=1", "block"],
		[`account=${a}&from=${b}`, "account"],
		["after=2126-01-01T00:00:00Z", "after"],
		["cursor=abc", "cursor"],
	]) {
		const { status, body } = await ask(`${path}?type=cancelled&${query}`);
		expect({ query, status, at: body.issues?.[0]?.path }).toEqual({ query, status: 422, at });
	}
});
