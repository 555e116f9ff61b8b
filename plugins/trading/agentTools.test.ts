import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import { createTokenNode } from "#plugins/trading/testing/tokenNode.ts";
import { openRegistryLab } from "#test/harness/openRegistryLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: the agent reports stock tokens and holdings as the routes do, in one line.

const NOW_MS = Date.parse("2026-11-18T17:00:00Z");
const TSLA: Address = `0x${"a1".repeat(20)}`;
const AMD: Address = `0x${"a2".repeat(20)}`;
const FEED: Address = `0x${"fe".repeat(20)}`;
const ONE = 10n ** 18n;
const { signal } = new AbortController();

let database: TestDatabase;
let node: ReturnType<typeof createTokenNode>;
let lab: ReturnType<typeof openRegistryLab>;
let by: Awaited<ReturnType<typeof lab.person>>;
const clock = { ms: NOW_MS, nowMs: () => clock.ms };
beforeAll(async () => {
	database = await createTestDatabase();
	node = createTokenNode(clock.nowMs);
	lab = openRegistryLab({ db: database.db, rpc: node.rpc, clock });
	by = await lab.person();
	const balances = new Map([[by.wallet.address as string, 2n * ONE]]);
	node.tokens.set(TSLA, { symbol: "TSLA", decimals: 18, multiplier: 3n * ONE, balances });
	node.tokens.set(AMD, { symbol: "AMD", decimals: 18 });
	node.feeds.set(FEED, { answer: 1_230_00000000n, updatedAtMs: NOW_MS });
	const rows = [
		newAssetRow({ symbol: "TSLA", address: TSLA, feed: FEED, multiplier: 3n * ONE }),
		newAssetRow({ symbol: "AMD", address: AMD, status: "delisted_pending_review" }),
	];
	await database.db.transaction(async (tx) => {
		for (const row of rows) await assetRows.write(tx, row);
	});
});
afterAll(() => database?.drop());

async function lineOf(name: string, input: object, profileId: string | null = null) {
	const tool: AnyTool | undefined = lab.tools.find((one) => one.name === name);
	if (!tool) throw new Error("no such tool");
	const authority = profileId === null ? ("none" as const) : ("author" as const);
	const caller = { channel: "agent" as const, profileId, authority };
	const answer = await tool.run(tool.input.parse(input), { caller, idempotencyKey: null, signal });
	if (answer.kind !== "done") throw new Error("it asks");
	const line = tool.line(tool.output.parse(answer.output));
	expect(line.length).toBeLessThanOrEqual(160);
	return line;
}

test("only tradable stock tokens are listed, by ticker", async () => {
	expect(await lineOf("list_stock_tokens", {})).toBe("1 stock tokens: TSLA.");
});

test("a stock token is shown with its price, its shares and the reason if it cannot be traded", async () => {
	expect(await lineOf("read_stock_token", { asset: "$tsla" })).toBe(
		"1 TSLA (3 shares): $1,230.00.",
	);
	expect(await lineOf("read_stock_token", { asset: AMD })).toBe(
		"1 AMD: no price is known. It is not traded now: it left the issuer's list.",
	);
	clock.ms = Date.parse("2026-11-22T17:00:00Z");
	expect(await lineOf("read_stock_token", { asset: "TSLA" })).toBe(
		"1 TSLA (3 shares): $1,230.00, market closed.",
	);
	clock.ms = NOW_MS;
});

test("a ticker that only resembles another one is unknown", async () => {
	for (const asset of ["TS1A", "ТSLA", "ETH", "TSLAA", `0x${"99".repeat(20)}`]) {
		await expect(lineOf("read_stock_token", { asset })).rejects.toMatchObject({
			code: "not_found",
		});
	}
});

test("a portfolio and a holding are shown with the tradable balance, shares, and the value", async () => {
	const { id } = by.profile;
	expect(await lineOf("read_portfolio", {}, id)).toBe("$2,460.00: 2 TSLA (6 shares).");
	expect(await lineOf("read_holding", { asset: "TSLA" }, id)).toBe("2 TSLA (6 shares): $2,460.00.");
	expect(await lineOf("read_holding", { asset: "AMD" }, id)).toBe("Your wallets hold no AMD.");
	node.faults.isDown = true;
	clock.ms += 60_000;
	expect(await lineOf("read_holding", { asset: "TSLA" }, id)).toBe(
		"TSLA unknown: no price is known.",
	);
	node.faults.isDown = false;
});

test("holdings need a sign-in", async () => {
	for (const name of ["read_portfolio", "read_holding"]) {
		await expect(lineOf(name, { asset: "TSLA" })).rejects.toBeDefined();
	}
});
