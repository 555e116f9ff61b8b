import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { silentLog } from "#core/log.ts";
import { createIssuerList } from "#plugins/trading/registry/createIssuerList.ts";
import { createSync, type SyncDeps } from "#plugins/trading/registry/createSync.ts";
import type { Candidate } from "#plugins/trading/registry/planSync.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { issuerRow, startIssuerServer } from "#plugins/trading/testing/issuerServer.ts";
import { createTokenNode } from "#plugins/trading/testing/tokenNode.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: only tokens that the issuer lists and the chain confirms are active, and no failure of
// the list takes a token off the market.

const CHAIN_ID = 4_663;
const NOW_MS = Date.UTC(2026, 10, 25, 15);
const { signal } = new AbortController();
const TICKERS = ["AAPL", "TSLA", "NVDA", "MSFT", "AMZN", "COIN"];

let database: TestDatabase;
let issuer: ReturnType<typeof startIssuerServer>;
let node: ReturnType<typeof createTokenNode>;
let clock: { ms: number; nowMs(): number };
beforeAll(async () => {
	database = await createTestDatabase();
	issuer = startIssuerServer();
});
afterAll(async () => {
	await issuer?.stop();
	await database?.drop();
});
beforeEach(async () => {
	await database.db.execute("truncate trading.asset");
	clock = { ms: NOW_MS, nowMs: () => clock.ms };
	node = createTokenNode(clock.nowMs);
	issuer.state.answer = null;
	issuer.state.rows = TICKERS.map((symbol, index) => issuerRow(symbol, at(index)));
	for (const [index, symbol] of TICKERS.entries()) {
		node.tokens.set(at(index), { symbol, decimals: 18, multiplier: 10n ** 18n });
	}
});

const at = (index: number): Address => `0x${(index + 0xa0).toString(16).padStart(40, "0")}`;

function sync(more: Partial<SyncDeps> = {}) {
	const deps: SyncDeps = {
		...{ db: database.db, clock, log: silentLog, rpc: node.rpc, chainId: CHAIN_ID },
		list: createIssuerList({ baseUrl: issuer.url, chainId: CHAIN_ID, timeoutMs: 2_000 }),
		...{ named: [], feeds: new Map(), pools: [] },
		...more,
	};
	return createSync(deps)(signal);
}

async function statuses(): Promise<Record<string, string>> {
	const rows = await assetRows.all(database.db, CHAIN_ID);
	return Object.fromEntries(rows.map(({ symbol, status }) => [symbol, status]));
}

async function rowOf(index: number) {
	const row = await assetRows.read(database.db, CHAIN_ID, at(index));
	if (!row) throw new Error(`no row ${index}`);
	return row;
}

const allActive = Object.fromEntries(TICKERS.map((symbol) => [symbol, "active"]));

describe("the issuer's list", () => {
	test("[TRD-11] the issuer's list is stored with each token's data on chain, and its block", async () => {
		node.tokens.set(at(1), {
			...{ symbol: "TSLA", decimals: 18, multiplier: 10n ** 18n, next: 3n * 10n ** 18n },
			effectiveAtS: NOW_MS / 1_000 + 3_600,
		});
		node.feeds.set(at(90), { answer: 1n, updatedAtMs: NOW_MS });
		expect(await sync({ feeds: new Map([[at(0), at(90)]]) })).toBe("synced");
		expect(await statuses()).toEqual(allActive);
		expect(await rowOf(0)).toMatchObject({ checkedBlock: 7, feed: at(90), pendingAt: null });
		expect(await rowOf(1)).toMatchObject({
			multiplier: 10n ** 18n,
			pendingMultiplier: 3n * 10n ** 18n,
			pendingAt: new Date(NOW_MS + 3_600_000),
		});
		// A change takes effect by time, without a transaction.
		clock.ms += 3_600_000;
		await sync();
		expect(await rowOf(1)).toMatchObject({ multiplier: 3n * 10n ** 18n, pendingMultiplier: null });
	});

	test("[TRD-11] delisted tokens cannot be traded, are kept, and never return by themselves", async () => {
		await sync();
		const [gone] = issuer.state.rows.splice(2, 1);
		await sync();
		expect(await statuses()).toEqual({ ...allActive, NVDA: "delisted_pending_review" });
		expect(await rowOf(2)).toMatchObject({ isListed: false, unlistedAt: new Date(NOW_MS) });
		issuer.state.rows.push(gone);
		await sync();
		await sync();
		expect(await statuses()).toEqual({ ...allActive, NVDA: "delisted_pending_review" });
		expect(await rowOf(2)).toMatchObject({ isListed: true });
	});

	const outages: [string, () => Response][] = [
		["an error", () => new Response("", { status: 503 })],
		["a page", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
		["half an answer", () => new Response('{"assets":[{"id":"0x')],
		["an empty list", () => Response.json({ assets: [] })],
		["another form", () => Response.json([{ assets: {} }])],
		["a list of thousands", () => Response.json({ assets: Array(2_001).fill({}) })],
		[
			"a list for another chain",
			() => {
				const deployments = [{ contractAddress: at(0), chainId: 1 }];
				return Response.json({ assets: [issuerRow("AAPL", at(0), { deployments })] });
			},
		],
		["more than it may have", () => new Response(new Blob([new Uint8Array(9 * 1_048_576)]))],
		["a redirect", () => Response.redirect("http://127.0.0.1:9/elsewhere", 302)],
	];
	for (const [what, answer] of outages) {
		test(`the registry is not changed by ${what}`, async () => {
			await sync();
			issuer.state.answer = answer;
			await sync();
			expect(await statuses()).toEqual(allActive);
		});
	}

	test("the issuer's list is not believed if more than a fifth of it is missing at once", async () => {
		await sync();
		issuer.state.rows.splice(3);
		expect(await sync()).toBe("list_doubtful");
		expect(await statuses()).toEqual(allActive);
	});

	test("a token whose row is unreadable is kept, and the other rows are read", async () => {
		await sync();
		issuer.state.rows[0] = issuerRow("AAPL", at(0), { tokenDecimals: "many" });
		issuer.state.rows.push(7, null, { id: "stranger" });
		node.tokens.set(at(6), { symbol: "META", decimals: 18 });
		issuer.state.rows.push(issuerRow("META", at(6)));
		await sync();
		expect(await statuses()).toEqual({ ...allActive, META: "active" });
	});

	test("a token that is listed on another chain is not changed", async () => {
		const deployments = [{ contractAddress: at(9), chainId: 42_161 }];
		issuer.state.rows.push(issuerRow("META", at(9), { deployments }));
		await sync();
		expect(await statuses()).toEqual(allActive);
	});
});

describe("a token", () => {
	const flaws: [string, string, () => void][] = [
		["is not there", "no_code", () => node.tokens.delete(at(5))],
		["has other decimals", "decimals_wrong", () => change({ decimals: 8 })],
		["is called otherwise", "symbol_differs", () => change({ symbol: "COINS" })],
		["shows as no shares", "multiplier_invalid", () => change({ multiplier: 0n, next: 0n })],
	];
	for (const [what, flaw, spoil] of flaws) {
		test(`a token that ${what} is rejected, and active again once it does not`, async () => {
			spoil();
			await sync();
			expect(await statuses()).toEqual({ ...allActive, COIN: "rejected" });
			expect((await rowOf(5)).flaws).toContain(flaw);
			node.tokens.set(at(5), { symbol: "COIN", decimals: 18, multiplier: 10n ** 18n });
			await sync();
			expect(await statuses()).toEqual(allActive);
		});
	}

	const change = (to: object) => {
		const token = node.tokens.get(at(5));
		if (token) Object.assign(token, to);
	};

	test("a token with an unreadable feed can still be traded, and operators are informed", async () => {
		await sync({ feeds: new Map([[at(0), at(90)]]) });
		expect(await rowOf(0)).toMatchObject({ status: "active", flaws: ["feed_unreadable"] });
		node.feeds.set(at(90), { answer: 100n, updatedAtMs: NOW_MS });
		await sync({ feeds: new Map([[at(0), at(90)]]) });
		expect((await rowOf(0)).flaws).toEqual([]);
	});

	test("a token that is paused on chain, or not active at the issuer, is paused until it changes", async () => {
		change({ isPaused: true });
		issuer.state.rows[0] = issuerRow("AAPL", at(0), { status: "ASSET_STATUS_INACTIVE" });
		await sync();
		expect(await statuses()).toEqual({ ...allActive, AAPL: "paused", COIN: "paused" });
		// Without a list the last known state stays.
		issuer.state.answer = () => new Response("", { status: 500 });
		await sync();
		expect(await statuses()).toMatchObject({ AAPL: "paused" });
		issuer.state.answer = null;
		change({ isPaused: false });
		issuer.state.rows[0] = issuerRow("AAPL", at(0));
		await sync();
		expect(await statuses()).toEqual(allActive);
	});

	const lookalikes = [
		"C0IN",
		"CO1N",
		"СOIN",
		"COIN\u200b",
		"CO\u0000IN",
		"coin",
		"ETH",
		"USDG",
		"WETH",
	];
	for (const symbol of lookalikes) {
		test(`a token called ${JSON.stringify(symbol)} is not added beside COIN and the currencies`, async () => {
			await sync();
			node.tokens.set(at(6), { symbol, decimals: 18 });
			issuer.state.rows.push(issuerRow(symbol, at(6)));
			await sync();
			const { status } = await rowOf(6);
			expect(status).toBe("rejected");
			expect(await statuses()).toMatchObject(allActive);
		});
	}

	test("a token does not get its ticker if two new ones resemble each other", async () => {
		for (const [index, symbol] of [
			[6, "MI"],
			[7, "M1"],
		] as const) {
			node.tokens.set(at(index), { symbol, decimals: 18 });
			issuer.state.rows.push(issuerRow(symbol, at(index)));
		}
		await sync();
		expect(await statuses()).toMatchObject({ MI: "rejected", M1: "rejected" });
	});

	test("a token keeps its ticker while a similar new one waits for an operator", async () => {
		await sync();
		issuer.state.rows.splice(5, 1);
		node.tokens.set(at(6), { symbol: "COIN", decimals: 18 });
		issuer.state.rows.push(issuerRow("COIN", at(6)));
		await sync();
		await sync();
		expect((await rowOf(5)).status).toBe("delisted_pending_review");
		expect(await rowOf(6)).toMatchObject({ status: "rejected", flaws: ["symbol_confusable"] });
	});
});

describe("a node", () => {
	test("a node that is down, or lacks the block, changes nothing", async () => {
		await sync();
		node.faults.isDown = true;
		await expect(sync()).rejects.toThrow("rpc_transport");
		node.faults.isDown = false;
		node.faults.lacksBlock = true;
		await sync();
		expect(await statuses()).toEqual(allActive);
	});

	test("a node gets two requests, however many tokens there are", async () => {
		await sync();
		expect(node.asked).toHaveLength(2);
	});
});

test("a configured token is checked as well, and removed with its configuration", async () => {
	const usdg: Candidate = {
		...{ address: at(50), kind: "stable", uid: null, symbol: "USDG" },
		...{ name: null, decimals: 6, isActive: true },
	};
	node.tokens.set(at(50), { symbol: "USDG", decimals: 6 });
	await sync({ named: [usdg], list: null });
	expect(await statuses()).toEqual({ USDG: "active" });
	await sync({ named: [{ ...usdg, decimals: 18 }], list: null });
	expect(await statuses()).toEqual({ USDG: "rejected" });
	await sync({ named: [usdg], list: null });
	expect(await statuses()).toEqual({ USDG: "active" });
	await sync({ list: null });
	expect(await statuses()).toEqual({ USDG: "rejected" });
});
