import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import { stockPriceJobs } from "#plugins/trading/pastStockTools.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { addStockPrices } from "#plugins/trading/sql/stockPrices.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import { createTokenNode } from "#plugins/trading/testing/tokenNode.ts";
import { openRegistryLab } from "#test/harness/openRegistryLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: past prices of stock tokens are those that were recorded, with their times, and no
// others.

/** A Wednesday, while the market is open. */
const NOW_MS = Date.parse("2026-11-18T17:00:00Z");
const TSLA: Address = `0x${"a1".repeat(20)}`;
const AMD: Address = `0x${"a2".repeat(20)}`;
const NVDA: Address = `0x${"a3".repeat(20)}`;
const feedOf = (n: number): Address => `0x${String(n).repeat(40)}`;
const { signal } = new AbortController();

let database: TestDatabase;
let node: ReturnType<typeof createTokenNode>;
let lab: ReturnType<typeof openRegistryLab>;
const clock = { ms: NOW_MS, nowMs: () => clock.ms };

beforeAll(async () => {
	database = await createTestDatabase();
	node = createTokenNode(clock.nowMs);
	lab = openRegistryLab({ db: database.db, rpc: node.rpc, clock });
	for (const [n, dollars] of [400n, 100n, 200n].entries()) {
		node.feeds.set(feedOf(n + 1), { answer: dollars * 10n ** 8n, updatedAtMs: NOW_MS });
	}
	await database.db.transaction(async (tx) => {
		for (const [n, [symbol, address]] of Object.entries({ TSLA, AMD, NVDA }).entries()) {
			node.tokens.set(address, { symbol, decimals: 18 });
			await assetRows.write(tx, newAssetRow({ symbol, address, feed: feedOf(n + 1) }));
		}
	});
});
afterAll(() => database?.drop());

async function lineOf(name: string, input: object): Promise<string> {
	const tool: AnyTool | undefined = lab.tools.find((one) => one.name === name);
	assert(tool, "there is such a tool");
	const caller = { channel: "agent", profileId: null, authority: "none" } as const;
	const answer = await tool.run(tool.input.parse(input), { caller, idempotencyKey: null, signal });
	assert(answer.kind === "done", "it does not ask");
	const line = tool.line(tool.output.parse(answer.output));
	expect(line.length).toBeLessThanOrEqual(160);
	return line;
}

const record = (token: Address, agoMs: number, dollars: number) =>
	addStockPrices(database.db, [
		{ token, at: new Date(NOW_MS - agoMs), micros: BigInt(dollars) * 1_000_000n },
	]);

test("nothing is told of a time of which no price was recorded", async () => {
	expect(await lineOf("read_past_stock", { asset: "TSLA", window: "7d" })).toBe(
		"1 TSLA 7d: not known, none is kept yet. Now $400.00.",
	);
	expect(await lineOf("read_stock_movers", {})).toBe(
		"No price of stock tokens is kept of 24h ago.",
	);
});

test("a past price is told with its time, and a change with both ends and the bounds between", async () => {
	await record(TSLA, 3 * DAY_MS, 320);
	await record(TSLA, DAY_MS + HOUR_MS, 500);
	await record(TSLA, HOUR_MS, 380);
	await record(AMD, 2 * DAY_MS, 125);
	expect(await lineOf("read_past_stock", { asset: "TSLA", window: "2d-ago" })).toBe(
		"1 TSLA 2026-11-16 17:00 UTC: $320.00 (2026-11-15 17:00 UTC). Now $400.00, +25.0 %.",
	);
	expect(await lineOf("read_past_stock", { asset: "TSLA", window: "2d" })).toBe(
		"1 TSLA 2d: $320.00 to $400.00, +25.0 %, lowest $320.00, highest $500.00.",
	);
	expect(await lineOf("read_past_stock", { asset: "TSLA", window: "7d" })).toBe(
		"1 TSLA 7d from 2026-11-15 17:00 UTC: $320.00 to $400.00, +25.0 %, lowest $320.00, " +
			"highest $500.00.",
	);
	expect(await lineOf("read_past_stock", { asset: "TSLA", window: "yesterday-utc" })).toBe(
		"1 TSLA 2026-11-17 00:00 to 2026-11-18 00:00 UTC: $320.00 to $500.00, +56.3 %, " +
			"lowest $320.00, highest $500.00.",
	);
	expect(await lineOf("read_stock_comparison", { asset: "TSLA", other: "AMD", window: "1h" })).toBe(
		"1h: TSLA +5.3 %, now $400.00, AMD −20.0 %, now $100.00.",
	);
	expect(await lineOf("read_stock_comparison", { asset: "NVDA", other: "AMD" })).toBe(
		"24h: NVDA change not known, now $200.00, AMD −20.0 %, now $100.00.",
	);
	expect(await lineOf("read_stock_movers", { window: "2d" })).toBe(
		"Moved most, 2d: TSLA +25.0 % to $400.00, AMD −20.0 % to $100.00.",
	);
});

test("a time to come is refused, and so is a token that is no stock", async () => {
	const ask = (input: object) => lineOf("read_past_stock", input);
	await expect(ask({ asset: "TSLA", window: "2026-12" })).rejects.toMatchObject({
		code: "malformed_body",
	});
	await expect(ask({ asset: "XYZ" })).rejects.toMatchObject({ code: "not_found" });
});

test("prices are recorded while the market is open, and deleted but for the last of old days", async () => {
	const { db } = database;
	const { assets, reference } = lab;
	const [note, drop] = stockPriceJobs({ core: { db, clock }, chainId: 4_663, assets, reference });
	assert(note && drop, "there are two jobs");
	const kept = async (token: Address) => {
		const rows = await db.query<{ micros: string }>(
			`select micros::text from trading.stock_price
			where token = decode($1, 'hex') order by at`,
			[token.slice(2)],
		);
		return rows.map(({ micros }) => Number(micros) / 1e6);
	};
	await note.run({ signal });
	await note.run({ signal });
	expect(await kept(NVDA)).toEqual([200]);
	// On a Sunday a feed has only the last price of Friday.
	clock.ms = Date.parse("2026-11-22T17:00:00Z");
	await note.run({ signal });
	expect(await kept(NVDA)).toEqual([200]);
	clock.ms = NOW_MS;
	await db.execute("delete from trading.stock_price");
	const day = "date_trunc('day', now() at time zone 'utc') at time zone 'utc'";
	await db.execute(
		`insert into trading.stock_price (token, at, micros)
		select decode($1, 'hex'), ${day} - days * interval '1 day' + hours * interval '1 hour',
			(days * 100 + hours) * 1000000
		from unnest(array[40, 40, 20, 20, 800]) with ordinality as given (days, place)
		cross join lateral (select 2 + place as hours) as later`,
		[NVDA.slice(2)],
	);
	await drop.run({ signal });
	expect(await kept(NVDA)).toEqual([4_004, 2_005, 2_006]);
});
