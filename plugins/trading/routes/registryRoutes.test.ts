import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { issuerRow, startIssuerServer } from "#plugins/trading/testing/issuerServer.ts";
import { createTokenNode } from "#plugins/trading/testing/tokenNode.ts";
import { openRegistryLab } from "#test/harness/openRegistryLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const NOW_MS = Date.parse("2026-11-18T17:00:00Z");
const TICKERS = ["AAPL", "TSLA", "NVDA", "MSFT", "AMZN", "COIN"];
const at = (index: number): Address => `0x${(index + 0xa0).toString(16).padStart(40, "0")}`;
const feedOf = (index: number): Address => `0x${(index + 0xfa0).toString(16).padStart(40, "0")}`;
const [TSLA, COIN] = [at(1), at(5)];

let database: TestDatabase;
let issuer: ReturnType<typeof startIssuerServer>;
let node: ReturnType<typeof createTokenNode>;
let lab: ReturnType<typeof openRegistryLab>;
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
	await database.db.execute("truncate trading.asset, trading.attestation");
	clock = { ms: NOW_MS, nowMs: () => clock.ms };
	node = createTokenNode(clock.nowMs);
	issuer.state.answer = null;
	issuer.state.rows = TICKERS.map((symbol, index) => issuerRow(symbol, at(index)));
	for (const [index, symbol] of TICKERS.entries()) {
		node.tokens.set(at(index), { symbol, decimals: 18, multiplier: 3n * 10n ** 18n });
	}
	node.feeds.set(feedOf(1), { answer: 412_50000000n, updatedAtMs: NOW_MS - 12_000 });
	lab = openRegistryLab({
		...{ db: database.db, rpc: node.rpc, clock },
		env: {
			STOCK_ASSETS_BASE_URL: issuer.url,
			STOCK_ELIGIBILITY: "attested",
			STOCK_FEEDS_JSON: JSON.stringify({ [TSLA]: feedOf(1) }),
		},
	});
	await lab.sync();
});

const symbolsOf = (body: { data: { symbol: string }[] }) => body.data.map(({ symbol }) => symbol);
const operator = "ops";

async function delist(index: number): Promise<() => Promise<void>> {
	const [row] = issuer.state.rows.splice(index, 1);
	await lab.sync();
	return async () => {
		issuer.state.rows.push(row);
		await lab.sync();
	};
}

describe("GET /v1/stock-tokens", () => {
	test("the route lists the registry by ticker, with the price of one whole token", async () => {
		const { status, body } = await lab.ask("/v1/stock-tokens");
		expect(status).toBe(200);
		expect(symbolsOf(body)).toEqual([...TICKERS].sort());
		expect(body.data.at(-1)).toEqual({
			...{ chain: "robinhood", chainId: 4_663, address: TSLA, symbol: "TSLA" },
			...{ name: "TSLA token", decimals: 18, status: "active", multiplier: "3" },
			...{ pendingMultiplier: null, pendingAt: null, feed: feedOf(1), checkedBlock: "7" },
			...{ priceUsd: 412.5, priceAgeSeconds: 12, market: "open" },
			checkedAt: "2026-11-18T17:00:00.000Z",
		});
		expect(body.data[0]).toMatchObject({ feed: null, priceUsd: null, market: null });
	});

	test("an announced multiplier is shown from its time on, before the next check", async () => {
		const effectiveAtS = NOW_MS / 1_000 + 60;
		const next = 6n * 10n ** 18n;
		node.tokens.set(TSLA, {
			...{ symbol: "TSLA", decimals: 18, multiplier: 3n * 10n ** 18n, next, effectiveAtS },
		});
		await lab.sync();
		const shown = async () => (await lab.ask("/v1/stock-tokens")).body.data.at(-1);
		expect(await shown()).toMatchObject({ multiplier: "3", pendingMultiplier: "6" });
		clock.ms += 60_000;
		expect(await shown()).toMatchObject({
			...{ multiplier: "6", pendingMultiplier: null, pendingAt: null },
		});
	});

	test("a page continues after the last row, filters by status, and hides rejected tokens", async () => {
		node.tokens.set(COIN, { symbol: "COIN", decimals: 8 });
		await lab.sync();
		await delist(1);
		const first = await lab.ask("/v1/stock-tokens?limit=3");
		expect(symbolsOf(first.body)).toEqual(["AAPL", "AMZN", "MSFT"]);
		const next = encodeURIComponent(first.body.page.nextCursor);
		const second = await lab.ask(`/v1/stock-tokens?limit=3&cursor=${next}`);
		expect(symbolsOf(second.body)).toEqual(["NVDA", "TSLA"]);
		expect(second.body.page).toEqual({ nextCursor: null, hasMore: false });
		const gone = await lab.ask("/v1/stock-tokens?status=delisted_pending_review");
		expect(symbolsOf(gone.body)).toEqual(["TSLA"]);
	});

	test("an invalid status, limit or cursor is refused", async () => {
		for (const query of ["status=rejected", "limit=0", "limit=201", "cursor=abc"]) {
			expect((await lab.ask(`/v1/stock-tokens?${query}`)).status).toBe(422);
		}
	});
});

describe("/v1/admin/stock-tokens", () => {
	const doors: [string, string, unknown][] = [
		["GET", "", undefined],
		["POST", `/${TSLA}/review`, { decision: "refuse" }],
		["POST", "/nonsense/review", {}],
		["PUT", `/${TSLA}/feed`, { feed: null }],
	];
	for (const [method, path, body] of doors) {
		test(`${method} ${path || "/"} is for operators`, async () => {
			const asked = { method, ...(body === undefined ? {} : { body }) };
			const { status } = await lab.ask(`/v1/admin/stock-tokens${path}`, asked);
			expect(status).toBe(401);
		});
	}

	test("operators list tokens in any status, with the results of the check", async () => {
		node.tokens.set(COIN, { symbol: "COIN", decimals: 8 });
		await lab.sync();
		const { body } = await lab.ask("/v1/admin/stock-tokens?status=rejected", { operator });
		expect(body.data).toMatchObject([
			{ symbol: "COIN", flaws: ["decimals_wrong"], isListed: true, heldBy: null },
		]);
		const all = await lab.ask("/v1/admin/stock-tokens", { operator });
		expect(symbolsOf(all.body)).toEqual([...TICKERS].sort());
	});

	const review = (address: string, decision: string, reason?: string) =>
		lab.ask(`/v1/admin/stock-tokens/${address}/review`, {
			operator,
			body: { decision, ...(reason && { reason }) },
		});

	test("[TRD-11] a delisted token is kept, and only an operator reinstates one that returns", async () => {
		const relist = await delist(1);
		expect(await review(TSLA, "approve")).toMatchObject({
			...{ status: 409, body: { code: "asset_not_listed" } },
		});
		await relist();
		const { body } = await lab.ask("/v1/stock-tokens?status=delisted_pending_review");
		expect(symbolsOf(body)).toEqual(["TSLA"]);
		expect(await lab.degraded()).toMatchObject([{ code: "stock_tokens_to_review", count: 1 }]);
		expect(await review(TSLA, "approve", "it was renamed")).toMatchObject({
			...{ status: 200, body: { status: "active", unlistedAt: null } },
		});
		await lab.sync();
		expect(await assetRows.read(database.db, 4_663, TSLA)).toMatchObject({ status: "active" });
		expect(await lab.audited()).toMatchObject([
			{
				...{ actor: "operator:ops", action: "trading.stock_token.reviewed" },
				subject: `token:4663:${TSLA}`,
				detail: {
					decision: "approve",
					reason: "it was renamed",
					before: "delisted_pending_review",
				},
			},
		]);
	});

	test("tokens that are no longer checked are reported as degraded", async () => {
		expect(await lab.degraded()).toEqual([]);
		clock.ms += 900_001;
		expect(await lab.degraded()).toMatchObject([
			// Six stocks, with WETH and USDG.
			{ code: "stock_registry_stale", count: 8, oldestAgeSeconds: 900 },
		]);
		await lab.sync();
		clock.ms += 5_000;
		expect(await lab.degraded()).toEqual([]);
	});

	test("several processes that read the list simultaneously agree", async () => {
		await database.db.execute("truncate trading.asset");
		await Promise.all([lab.sync(), lab.sync(), lab.sync()]);
		const { body } = await lab.ask("/v1/stock-tokens?status=active");
		expect(symbolsOf(body)).toEqual([...TICKERS].sort());
	});

	test("a token that an operator refused stays refused, whatever the list says, until it is approved", async () => {
		expect(await review(TSLA, "refuse")).toMatchObject({
			...{ status: 200, body: { status: "rejected", heldBy: "operator:ops" } },
		});
		await lab.sync();
		expect((await lab.ask("/v1/stock-tokens")).body.data).toHaveLength(5);
		expect(await review(TSLA, "approve")).toMatchObject({
			body: { status: "active", heldBy: null },
		});
	});

	test("an approval needs an open decision, and a valid token", async () => {
		expect(await review(TSLA, "approve")).toMatchObject({
			status: 409,
			body: { code: "asset_state" },
		});
		node.tokens.set(COIN, { symbol: "COIN", decimals: 8 });
		await lab.sync();
		expect(await review(COIN, "approve")).toMatchObject({
			status: 409,
			body: { code: "asset_flawed" },
		});
		expect(await review(at(99), "approve")).toMatchObject({ status: 404 });
		expect(await review("0x12", "approve")).toMatchObject({ status: 422 });
		expect(await review(TSLA, "delete")).toMatchObject({ status: 422 });
	});

	test("only one of two similar tokens is approved", async () => {
		await review(COIN, "refuse");
		node.tokens.set(at(6), { symbol: "C0IN", decimals: 18 });
		issuer.state.rows.push(issuerRow("C0IN", at(6)));
		await lab.sync();
		expect(await assetRows.read(database.db, 4_663, at(6))).toMatchObject({ status: "active" });
		expect(await review(COIN, "approve")).toMatchObject({
			status: 409,
			body: { code: "symbol_taken" },
		});
	});

	const setFeed = (feed: string | null) =>
		lab.ask(`/v1/admin/stock-tokens/${COIN}/feed`, { operator, method: "PUT", body: { feed } });

	test("a feed that is set while the service runs must answer, and overrides the configuration", async () => {
		expect(await setFeed(feedOf(5))).toMatchObject({
			status: 409,
			body: { code: "feed_unreadable" },
		});
		node.feeds.set(feedOf(5), { answer: -1n, updatedAtMs: NOW_MS });
		expect(await setFeed(feedOf(5))).toMatchObject({ status: 409 });
		node.feeds.set(feedOf(5), { answer: 255_00000000n, updatedAtMs: NOW_MS });
		expect(await setFeed(feedOf(5))).toMatchObject({
			...{ status: 200, body: { feed: feedOf(5), feedSetBy: "operator:ops" } },
		});
		await lab.sync();
		clock.ms += 5_000;
		const { body } = await lab.ask("/v1/stock-tokens");
		const coin = body.data.find(({ symbol }: { symbol: string }) => symbol === "COIN");
		expect(coin).toMatchObject({ feed: feedOf(5), priceUsd: 255 });
		expect(await setFeed(null)).toMatchObject({ status: 200, body: { feed: null } });
		expect((await lab.audited()).map(({ action }) => action)).toEqual([
			"trading.stock_token.feed_set",
			"trading.stock_token.feed_set",
		]);
	});
});

describe("/v1/admin/trading/attestations", () => {
	const id = Bun.randomUUIDv7();
	const path = `/v1/admin/trading/attestations/${id}`;

	test("a user's country is recorded once per profile, with the operator's name", async () => {
		expect((await lab.ask(path)).status).toBe(401);
		expect((await lab.ask(path, { operator })).status).toBe(404);
		const put = { operator, method: "PUT", body: { country: "DE" } };
		expect(await lab.ask(path, put)).toMatchObject({
			...{ status: 200, body: { country: "DE", eligible: true, recordedBy: "operator:ops" } },
		});
		clock.ms += 366 * 86_400_000;
		expect((await lab.ask(path, { operator })).body).toMatchObject({
			...{ eligible: false, reason: "expired" },
		});
		clock.ms = NOW_MS;
		await lab.ask(path, { ...put, body: { country: "US", eligible: false } });
		expect(await lab.ask(path, { operator })).toMatchObject({
			body: {
				profileId: id,
				country: "US",
				eligible: false,
				attestedAt: "2026-11-18T17:00:00.000Z",
			},
		});
		expect(await lab.audited()).toMatchObject([
			{ action: "trading.attestation.recorded", subject: `profile:${id}` },
			{ detail: { country: "US", eligible: false } },
		]);
	});

	test("a profile of an excluded country is not eligible, and the answer says why", async () => {
		const put = { operator, method: "PUT", body: { country: "US" } };
		for (const asked of [put, { operator }]) {
			expect((await lab.ask(path, asked)).body).toMatchObject({
				...{ country: "US", eligible: false, reason: "country_excluded" },
			});
		}
		const closed = openRegistryLab({ db: database.db, rpc: node.rpc, clock });
		expect((await closed.ask(path, { ...put, body: { country: "DE" } })).body).toMatchObject({
			...{ eligible: false, reason: "closed" },
		});
	});

	test("an unknown country or profile is refused", async () => {
		for (const body of [{}, { country: "de" }, { country: "DEU" }, { country: "DE", more: 1 }]) {
			expect((await lab.ask(path, { operator, method: "PUT", body })).status).toBe(422);
		}
		const elsewhere = { operator, method: "PUT", body: { country: "DE" } };
		const { status } = await lab.ask("/v1/admin/trading/attestations/me", elsewhere);
		expect(status).toBe(422);
	});
});

describe("GET /v1/trading/holdings", () => {
	test("reading holdings needs a session", async () => {
		expect((await lab.ask("/v1/trading/holdings")).status).toBe(401);
	});

	test("the route lists the holdings of the caller's wallets, the most valuable first", async () => {
		const by = await lab.person();
		lab.prices.setEth(3_000);
		node.coins.set(by.wallet.address, 10n ** 18n);
		const token = node.tokens.get(TSLA);
		if (token) token.balances = new Map([[by.wallet.address, 2n * 10n ** 18n]]);
		const { status, body, headers } = await lab.ask("/v1/trading/holdings", { by });
		expect(status).toBe(200);
		expect(headers.get("cache-control")).toBe("no-store");
		expect(body.data).toMatchObject([
			{ symbol: "ETH", kind: "native", balance: "1", valueUsd: 3_000 },
			{ symbol: "TSLA", balance: "2", uiBalance: "6", valueUsd: 825, walletId: by.wallet.id },
		]);
		expect(body).toMatchObject({ totalUsd: 3_825, knownUsd: 3_825 });
	});
});
