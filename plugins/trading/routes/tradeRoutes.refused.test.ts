import { beforeEach, describe, expect, test } from "bun:test";
import { type Rpc, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { silentLog } from "#core/log.ts";
import { assetOf } from "#plugins/trading/registry/createAssets.ts";
import { createPools } from "#plugins/trading/registry/createPools.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import type { TradeLab } from "#test/harness/openTradeLab.ts";
import type { Trader } from "#test/harness/stockChain.ts";
import { useTradeLab } from "#test/harness/useTradeLab.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";
import { LIES, type Lie } from "#test/sandbox/stocks/router/RouterFault.ts";
import { quoteWays } from "#test/sandbox/stocks/router/renderQuote.ts";

// Guarantee: a refused trade is stored with its reason; nothing is signed or reserved for it.

const stocks = useTradeLab();
let lab: TradeLab;
let world: StockWorld;
let by: Trader;
beforeEach(async () => {
	({ lab, world } = stocks.open());
	by = await lab.trader();
});

/** Expects a refusal with this code: stored, nothing sent and nothing reserved. */
async function expectRefused(command: string, errorCode: string) {
	const { status, body } = await lab.trade(by, command);
	expect({ command, status, at: body.status, errorCode: body.errorCode }).toEqual({
		...{ command, status: 201, at: "rejected", errorCode },
	});
	expect(lab.sent).toEqual([]);
	expect(await lab.ledger(body.intentId)).toEqual({});
	expect((await lab.read(by, body.id)).errorCode).toBe(errorCode);
	return body;
}

async function give(token: string, raw: bigint, allowed = raw) {
	await world.give(token as `0x${string}`, by.wallet.address, raw);
	await lab.approve(by, token, allowed);
}

const ONE = 10n ** 18n;
const lower = (address: string) => address.toLowerCase() as `0x${string}`;

describe("tokens that are unknown or cannot be traded", () => {
	test("[TRD-03] an unknown ticker, a lookalike, an address of another token", async () => {
		await expectRefused("buy ZZZZ with 1 ETH", "asset_not_registered");
		const { address } = world.bad.namesake;
		await expectRefused(`buy ${address.toLowerCase()} with 1 ETH`, "asset_not_registered");
		const kept = await expectRefused("hold ZZZZ", "asset_not_registered");
		const reason = 'No stock token here is called "ZZZZ". Each token is in GET /v1/stock-tokens.';
		expect(kept).toMatchObject({ kind: "hold", reason });
	});

	test("[TRD-03] a token that was delisted, or did not pass its check, bought or sold", async () => {
		const { address } = world.stock("MSFT");
		const at = address.toLowerCase() as `0x${string}`;
		const row = await assetRows.read(lab.db, 4663, at);
		if (!row) throw new Error("it is registered");
		const become = (status: typeof row.status) =>
			lab.db.transaction((tx) => assetRows.write(tx, { ...row, status }));
		await become("delisted_pending_review");
		await expectRefused("buy MSFT with 1 ETH", "asset_delisted");
		await expectRefused("sell 1 MSFT", "asset_delisted");
		await become("paused");
		await expectRefused("buy MSFT with 1 ETH", "asset_not_verified");
		await become("active");
	});

	test("[TRD-03] a trade by somebody who may not trade the token is refused before any quote", async () => {
		lab.state.barred = { code: "not_eligible", detail: "Not from where you live." };
		const body = await expectRefused("buy TSLA with 1 ETH", "not_eligible");
		expect(body).toMatchObject({ reason: "Not from where you live.", quotes: [] });
		expect(body.policy.map(({ check, outcome }: any) => [check, outcome])).toEqual([
			["registry", "passed"],
			["eligibility", "denied"],
		]);
	});

	test("a stock that is used as settlement needs a confirmation too", async () => {
		lab.state.barred = { code: "not_eligible", detail: "Not from where you live." };
		await expectRefused("sell 50 USDG to TSLA", "not_eligible");
		await expectRefused("buy USDG with 1 TSLA", "not_eligible");
		await expectRefused("buy WETH with 1 TSLA", "not_eligible");
	});

	test("[TRD-13] a settlement other than coin and dollar is refused, unless a configured pool holds it", async () => {
		await expectRefused("buy TSLA with 1 WETH", "balance_insufficient");
		await expectRefused("buy TSLA with 1 TSLA", "pair_unsupported");
		lab.state.pools = lab.state.pools.filter(({ token0, token1 }) => {
			const nvda = world.stock("NVDA").address.toLowerCase();
			return token0 !== nvda && token1 !== nvda;
		});
		await expectRefused("sell 1 TSLA to NVDA", "settlement_unsupported");
		const { error } = await expectRefused("buy NVDA with 1 ETH", "no_route");
		expect(error.message).toStartWith("No pool that is configured here leads");
	});

	test("[TRD-13] a trade of one stock for another is refused above a limit, or without a price", async () => {
		by = await lab.trader({ perTradeUsdMax: 100_000_000n });
		await give(world.stock("TSLA").address, 5n * ONE);
		await expectRefused("sell 1 TSLA to NVDA", "per_trade_limit");
		const { error } = await expectRefused("buy NVDA with 1 TSLA", "per_trade_limit");
		expect(error).toMatchObject({ limit: { value: "100", unit: "USD" }, amount: { unit: "USD" } });
		expect(Number(error.amount.value)).toBeGreaterThan(100);
		await world.setFeedDead("NVDA", true);
		await world.setFeedDead("TSLA", true);
		lab.clock.ms += 6_000;
		await expectRefused("sell 0.3 TSLA to NVDA", "price_unknown");
		await world.setFeedDead("TSLA", false);
		await world.setFeedDead("NVDA", false);
	});
});

describe("amounts", () => {
	test("an amount of zero, with too many digits, or above the balance is refused", async () => {
		await expectRefused("buy TSLA with 0 ETH", "amount_invalid");
		await expectRefused("buy TSLA with 0.0000001 USDG", "amount_invalid");
		await expectRefused("sell 1.0000000000000000001 TSLA", "amount_invalid");
		await expectRefused("buy TSLA with 5 USDG", "balance_insufficient");
		await expectRefused("sell all AMZN", "balance_insufficient");
		await expectRefused("sell 1 AMZN", "balance_insufficient");
		await expectRefused("buy 2 AMZN", "balance_insufficient");
	});

	test("an amount too small to buy anything is refused as such, and not as a missing route", async () => {
		await give(world.stock("TSLA").address, ONE);
		const { error } = await expectRefused(
			"sell 0.000000000000000001 TSLA to USDG",
			"amount_invalid",
		);
		expect(error.message).toStartWith("It is too little to trade");
	});

	test("[TRD-03] an amount above the profile's limit for a trade, or for a day", async () => {
		by = await lab.trader({ perTradeUsdMax: 100_000_000n });
		await expectRefused("buy TSLA with 0.5 ETH", "per_trade_limit");
		by = await lab.trader({ dailyUsdMax: 100_000_000n });
		await expectRefused("buy TSLA with 0.5 ETH", "daily_limit");
	});
});

describe("tokens that violate ERC-20", () => {
	test("a token with a transfer fee is refused", async () => {
		const { error } = await expectRefused("buy TAXD with 0.1 ETH", "token_unsafe");
		expect(error).toMatchObject({ limit: { unit: "TAXD" }, amount: { unit: "TAXD" } });
		expect(Number(error.amount.value)).toBeLessThan(Number(error.limit.value));
		await give(world.bad.taxed.address, 5n * ONE);
		const { error: failed } = await expectRefused("sell 2 TAXD", "simulation_failed");
		expect(failed).toMatchObject({
			...{ limit: { unit: "USDG" }, amount: { value: "2", unit: "TAXD" } },
		});
		await give(world.bad.taxed.address, ONE, 0n);
		await expectRefused("sell 2 TAXD", "simulation_failed");
	});

	test("a token that is paused, or that its pool may not send, has no route", async () => {
		await expectRefused("buy BLKD with 0.1 ETH", "no_route");
		const { error } = await expectRefused("buy HALT with 0.1 ETH", "no_route");
		expect(error.message).toStartWith("Pools that are configured here lead there, and none");
	});

	test("a token that is rebased, or whose balances shrink after the quote, is refused", async () => {
		by = await lab.trader({ requireTradeConfirmation: true });
		const { address } = world.bad.rebasing;
		await give(address, 2n * ONE, 4n * ONE);
		// The token's rounding leaves the pool short.
		await expectRefused("sell 1 RBSE", "simulation_failed");
		await world.rebase(address, ONE);
		const { body } = await lab.trade(by, "sell 1.5 RBSE");
		expect(body).toMatchObject({ status: "confirmation_required", errorCode: null });
		await world.rebase(address, ONE / 2n);
		const { body: after } = await lab.ask(`/v1/trading/intents/${body.id}/confirm`, {
			...{ by, method: "POST", body: {} },
		});
		expect(after).toMatchObject({ status: "rejected", errorCode: "balance_insufficient" });
		expect(await lab.ledger(body.intentId)).toEqual({});
		await expectRefused("sell 1.5 RBSE", "balance_insufficient");
		expect(lab.sent).toEqual([]);
	});

	test("selling a token that is paused, or frozen for the wallet, is refused", async () => {
		const { address } = world.stock("AMD");
		await give(address, ONE);
		await world.setBlocked(address, by.wallet.address, true);
		await expectRefused("sell 1 AMD", "simulation_failed");
		await world.setBlocked(address, by.wallet.address, false);
		await world.setPaused(address, true);
		await expectRefused("sell 1 AMD", "simulation_failed");
		await world.setPaused(address, false);
	});
});

describe("prices", () => {
	test("for pools that are not used because they differ from a feed by 5 % the refusal names the figures", async () => {
		const { pools, addresses } = world;
		const ranking = createPools({
			config: pools.map(({ address, token0, token1, fee }) => ({
				address: lower(address),
				tokens: [lower(token0), lower(token1)] as [`0x${string}`, `0x${string}`],
				fee,
			})),
			...{ factory: lower(addresses.factory), quoter: lower(addresses.quoter), rpc: lab.rpc },
			...{ log: silentLog, deviationBpsMax: 500 },
			readAssets: async (tokens) => (await assetRows.some(lab.db, 4_663, tokens)).map(assetOf),
			reference: lab.reference,
		});
		await world.moveMarket({ MSFT: 530 }, { feeds: false });
		try {
			await ranking.refresh(new AbortController().signal);
			lab.state.pools = [...ranking.ranked()];
			lab.state.setAside = ranking.setAside();
			const { error } = await expectRefused("buy MSFT with 0.1 ETH", "price_deviation");
			expect(error).toMatchObject({
				limit: { value: "500", unit: "bps" },
				amount: { unit: "bps" },
			});
			expect(Number(error.amount.value)).toBeGreaterThan(500);
			expect(error.message).toStartWith("The pools of MSFT are not used now");
		} finally {
			await world.moveMarket({ MSFT: 490 }, { feeds: false });
		}
	});

	test("a trade that moves its pools too far", async () => {
		const rich = 4_000n * ONE;
		await lab.anvil.rpc("anvil_setBalance", [by.wallet.address, `0x${rich.toString(16)}`]);
		const body = await expectRefused("buy GME with 5 ETH", "price_impact");
		expect(body.policy).toContainEqual(expect.objectContaining({ check: "price_impact" }));
		expect(body.quotes[0].impactBps).toBeGreaterThan(300);
	});

	test("a pool whose price is far from the feeds", async () => {
		const pools = lab.state.pools;
		await world.moveMarket({ MSFT: 900 }, { feeds: false });
		await expectRefused("buy MSFT with 0.5 ETH", "price_deviation");
		await world.moveMarket({ MSFT: 493 }, { feeds: false });
		expect((await lab.trade(by, "buy MSFT with 0.5 ETH")).body.status).toBe("submitted");
		lab.state.pools = pools;
	});

	test("a feed that reverts, is zero, negative or implausible, on either side of the trade", async () => {
		by = await lab.trader({ account: 7 });
		await give(world.stock("META").address, ONE);
		const say = async (act: Promise<void>) => {
			await act;
			// Feeds are read at most once in five seconds.
			lab.clock.ms += 6_000;
			await expectRefused("buy META with 0.1 ETH", "price_unknown");
			await expectRefused("sell 0.5 META", "price_unknown");
		};
		for (const answer of [0n, -1n, -(2n ** 255n), 2n ** 255n - 1n])
			await say(world.setFeed("META", answer));
		await say(world.setFeedDead("META", true));
		await world.setFeedDead("META", false);
		await world.moveMarket({ META: 600 });
		lab.clock.ms += 6_000;
		const body = { command: "buy META with 0.1 ETH" };
		expect((await lab.ask("/v1/trading/quotes", { by, body })).body.isPossible).toBe(true);
	});

	test("a pool that is emptied after the quote", async () => {
		by = await lab.trader({ requireTradeConfirmation: true });
		const { body } = await lab.trade(by, "buy PLTR with 0.5 ETH");
		expect(body.status).toBe("confirmation_required");
		for (const pool of world.stock("PLTR").pools) await world.drain(pool, 1);
		const { body: after } = await lab.ask(`/v1/trading/intents/${body.id}/confirm`, {
			...{ by, method: "POST", body: {} },
		});
		expect(after).toMatchObject({ status: "rejected", errorCode: "simulation_failed" });
		expect(await lab.ledger(body.intentId)).toEqual({});
		for (const pool of world.stock("PLTR").pools) await world.drain(pool, 10_000);
		expect(lab.sent).toEqual([]);
	});

	test("a confirmation after the price moved beyond the confirmed bounds", async () => {
		by = await lab.trader({ requireTradeConfirmation: true });
		const { body } = await lab.trade(by, "buy AMZN with 0.5 ETH");
		lab.clock.ms += 31_000;
		await world.moveMarket({ AMZN: 232 });
		const { body: after } = await lab.ask(`/v1/trading/intents/${body.id}/confirm`, {
			...{ by, method: "POST", body: {} },
		});
		expect(after).toMatchObject({ status: "rejected", errorCode: "price_moved" });
		expect(await lab.ledger(body.intentId)).toEqual({});
		expect(lab.sent).toEqual([]);
		expect(after.quotes.length).toBe(2);
		await world.moveMarket({ AMZN: 225 });
	});

	test("[TRD-06] depth is required only if operators enabled that", async () => {
		lab = stocks.open({ TRADE_MIN_LIQUIDITY_USD: 1_500_000 }).lab;
		by = await lab.trader({ account: 2 });
		expect((await lab.trade(by, "buy AMZN with 0.01 ETH")).body.status).toBe("submitted");
		lab.sent.length = 0;
		await lab.db.execute(
			`insert into wallets.control (key, value, changed_by, changed_at)
			values ('enforce_min_liquidity', 'true', 'test', now())`,
		);
		await expectRefused("buy AMZN with 0.01 ETH", "liquidity_insufficient");
		// Deep enough passes; and without an amount there is nothing to enforce.
		for (const [usd, outcome] of [
			[50_000, "passed"],
			[undefined, "off"],
		] as const) {
			const env = { TRADE_MIN_LIQUIDITY_USD: usd };
			lab = stocks.open(env).lab;
			const { body } = await lab.trade(by, "buy AMZN with 0.01 ETH");
			expect(body).toMatchObject({ status: "submitted", errorCode: null });
			const check = expect.objectContaining({ check: "min_liquidity", outcome });
			expect(body.policy).toContainEqual(check);
			await lab.settled(by, body.id);
		}
		await lab.db.execute("delete from wallets.control");
	});
});

describe("sources", () => {
	beforeEach(() => {
		stocks.router.clearFaults();
		const env = { ROUTER_BASE_URL: stocks.router.url };
		lab = stocks.open(env).lab;
	});

	test("[TRD-05] both sources are called; the answer has both quotes, and which was chosen", async () => {
		const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
		expect(body).toMatchObject({ status: "submitted", divergenceBps: 0, sourcesMissing: [] });
		expect(body.quotes.map(({ source }: any) => source)).toEqual(["local", "hosted"]);
		expect(body.quotes[1].requestId).toMatch(/^request-/);
	});

	test("[TRD-05] no source waits for the other: each answers only once the other was called", async () => {
		const [local, hosted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const { settle } = lab.rpc;
		const gate = Bun.serve({
			port: 0,
			async fetch(request) {
				hosted.resolve();
				await local.promise;
				const { method, headers } = request;
				const { pathname } = new URL(request.url);
				return fetch(`${stocks.router.url}${pathname}`, {
					method,
					headers,
					body: await request.text(),
				});
			},
		});
		const env = { ROUTER_BASE_URL: `http://127.0.0.1:${gate.port}` };
		lab = stocks.open(env).lab;
		const waiting: Rpc["settle"] = async (calls, options) => {
			if (calls.some(({ params }) => JSON.stringify(params).includes(QUOTE_EXACT.in))) {
				local.resolve();
				await hosted.promise;
			}
			return settle(calls, options);
		};
		lab.state.settle = waiting;
		const body = { command: "buy TSLA with 0.01 ETH" };
		const { body: quote } = await lab.ask("/v1/trading/quotes", { by, body });
		await gate.stop(true);
		expect(quote).toMatchObject({ isPossible: true, sourcesMissing: [] });
		expect(quote.quotes.map(({ code }: any) => code)).toEqual([null, null]);
	});

	test("[TRD-05] if one source is down the other one is used, and the answer says so", async () => {
		stocks.router.fault({ kind: "answer", body: {} });
		const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
		expect(body).toMatchObject({ status: "submitted", sourcesMissing: ["hosted"] });
	});

	test("a source without a route does not count as missing, nor does V4 without a pool", async () => {
		const [honest] = world.v4.pools;
		const { currency0, currency1, fee, tickSpacing } = honest?.key ?? ({} as never);
		const tokens = [currency0, currency1].map((token) => token.toLowerCase());
		const TRADE_V4_POOLS_JSON = JSON.stringify([{ tokens, fee, tickSpacing }]);
		const env = { ROUTER_BASE_URL: stocks.router.url, TRADE_V4_POOLS_JSON };
		lab = stocks.open(env).lab;
		stocks.router.fault({ kind: "no_route" });
		const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
		expect(body).toMatchObject({ status: "submitted", sourcesMissing: [] });
		expect(body.quotes.map(({ source, code }: any) => [source, code])).toEqual([
			["local", null],
			["hosted", "router_refused"],
			["local_v4", "no_route"],
		]);
	});

	test("a hosted answer without the member permitData is compared; one with a permit is not", async () => {
		const shape = { command: "buy TSLA with 0.01 ETH" };
		const strip = Bun.serve({
			port: 0,
			async fetch(request) {
				const { pathname } = new URL(request.url);
				const init = { method: "POST", headers: request.headers, body: await request.text() };
				const { permitData, ...json } = await (
					await fetch(`${stocks.router.url}${pathname}`, init)
				).json();
				return Response.json(json);
			},
		});
		const env = { ROUTER_BASE_URL: `http://127.0.0.1:${strip.port}` };
		lab = stocks.open(env).lab;
		const { body: quote } = await lab.ask("/v1/trading/quotes", { by, body: shape });
		await strip.stop(true);
		expect(quote).toMatchObject({ isPossible: true, divergenceBps: 0, sourcesMissing: [] });
		expect(quote.quotes[1]).toMatchObject({ source: "hosted", code: null });
	});

	test("the hosted route is used without the chain's quoter, by its own minimum amount", async () => {
		const { settle } = lab.rpc;
		lab.state.settle = (calls, options) => {
			const isQuote = calls.some(({ params }) => /cdca1753/.test(JSON.stringify(params)));
			lab.state.settle = null;
			const answer = isQuote ? Promise.reject(rpcFault.transport()) : settle(calls, options);
			lab.state.settle = failing;
			return answer;
		};
		const failing = lab.state.settle;
		const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
		lab.state.settle = null;
		expect(body).toMatchObject({ status: "submitted", sourcesMissing: ["local"] });
		expect(body.quotes[1]).toMatchObject({ source: "hosted", isTaken: true });
	});

	test("[TRD-05] a trade with diverging sources waits for an operator, and sends nothing before", async () => {
		stocks.router.fault({ kind: "price", bps: 300 });
		const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
		expect(body).toMatchObject({ status: "review_required", errorCode: "venue_divergence" });
		expect(body.divergenceBps).toBeGreaterThan(100);
		expect(body.policy).toContainEqual(
			expect.objectContaining({ check: "venue_divergence", outcome: "review" }),
		);
		expect(lab.sent).toEqual([]);
		expect(await lab.ledger(body.intentId)).toEqual({});
	});

	test.each([
		["out", "nobody"],
		["out", "local"],
		["out", "hosted"],
		["in", "nobody"],
		["in", "local"],
		["in", "hosted"],
	] as const)(
		"[TRD-05] the best route for an exact %sput is used if %s has found a worse one",
		async (exact, blind) => {
			by = await lab.trader({ account: 5 });
			await give(world.addresses.usdg, 2_000_000_000n, 0n);
			const [tokenIn, tokenOut] = [world.addresses.usdg, world.stock("AAPL").address];
			const amount = exact === "out" ? ONE : 200_000_000n;
			const [best, next] = await quoteWays(lab.anvil.url, {
				ask: { tokenIn, tokenOut, exact, amount },
				...{ pools: world.pools, block: await lab.anvil.rpc("eth_blockNumber") },
			});
			if (!best || !next) throw new Error("there are several ways");
			expect(next.amountIn * best.amountOut).toBeGreaterThan(best.amountIn * next.amountOut);
			if (blind === "local") hideBest(exact);
			if (blind === "hosted") {
				const [pool] = next.pools;
				stocks.router.fault({ kind: "lie", about: "pool", value: pool?.address ?? "" });
				stocks.router.fault({ kind: "lie", about: "fee", value: String(pool?.fee) });
			}
			const command = exact === "out" ? "buy 1 AAPL" : "buy AAPL with 200 USDG";
			const quote = { by, body: { command } };
			const { body } = await lab.ask("/v1/trading/quotes", quote);
			lab.state.settle = null;
			const takenBy = body.quotes.find(({ isTaken }: any) => isTaken)?.source;
			expect({ inRaw: body.inRaw, outRaw: body.outRaw, takenBy }).toEqual({
				...{ inRaw: String(best.amountIn), outRaw: String(best.amountOut) },
				takenBy: blind === "local" ? "hosted" : "local",
			});
		},
	);

	/** The quoter's functions, by their selectors. */
	const QUOTE_EXACT = { in: "cdca1753", out: "2f80bb1d" };

	/** Makes the node fail the best of several routes; it still quotes each route alone. */
	function hideBest(exact: "in" | "out"): void {
		const { settle } = lab.rpc;
		lab.state.settle = async (calls, options) => {
			const own = lab.state.settle;
			lab.state.settle = null;
			const answered = settle(calls, options);
			lab.state.settle = own;
			const outcomes = await answered;
			const amounts = outcomes.map((outcome, at) => {
				const isQuote = JSON.stringify(calls[at]?.params).includes(QUOTE_EXACT[exact]);
				if (!isQuote || outcome.kind === "fault") return null;
				return BigInt(String(outcome.result).slice(0, 66));
			});
			if (calls.length < 3) return outcomes;
			const known = amounts.filter((amount) => amount !== null);
			const rising = known.toSorted((one, other) => (one < other ? -1 : 1));
			const best = exact === "out" ? rising[0] : rising.at(-1);
			return outcomes.map((outcome, at) =>
				amounts[at] === best && best !== undefined
					? { kind: "fault" as const, fault: rpcFault.refused() }
					: outcome,
			);
		};
	}

	test("a hosted quote far above the chain's is not possible (venue_divergence); the chain's is shown", async () => {
		stocks.router.fault({ kind: "price", bps: 300 });
		const { body } = await lab.ask("/v1/trading/quotes", {
			...{ by, body: { command: "buy TSLA with 0.01 ETH" } },
		});
		expect(body).toMatchObject({ isPossible: false, code: "venue_divergence" });
		expect(body.outRaw).toBe(body.quotes[0].outRaw);
		expect(BigInt(body.quotes[1].outRaw)).toBeGreaterThan(BigInt(body.outRaw));
	});

	test("V4 pools are compared and recorded, without calldata, and never executed", async () => {
		const [honest] = world.v4.pools;
		const aapl = world.stock("AAPL").address.toLowerCase();
		const { currency0, currency1, fee, tickSpacing } = honest?.key ?? ({} as never);
		const tokens = [currency0, currency1].map((token) => token.toLowerCase());
		expect(tokens).toContain(aapl);
		const env = { TRADE_V4_POOLS_JSON: JSON.stringify([{ tokens, fee, tickSpacing }]) };
		lab = stocks.open(env).lab;
		by = await lab.trader({ account: 4 });
		await give(aapl, ONE);
		for (const body of [
			{ command: "sell 0.01 AAPL" },
			{ action: "buy", asset: "AAPL", quantity: "0.01" },
		]) {
			const quote = (await lab.ask("/v1/trading/quotes", { by, body })).body;
			const v4 = quote.quotes.find(({ source }: any) => source === "local_v4");
			expect(v4).toMatchObject({ isTaken: false, code: null, hops: null });
			expect(BigInt(v4.outRaw)).toBeGreaterThan(0n);
		}
		const { body } = await lab.trade(by, "sell 0.01 AAPL");
		expect(body.quotes.map(({ source }: any) => source)).toEqual(["local", "local_v4"]);
		const rows = await lab.db.query<{ detail: object }>(
			"select detail from trading.quote where trade_id = $1 and source = 'local_v4'",
			[body.id],
		);
		const [row] = rows;
		expect(row?.detail).toMatchObject({
			version: "v4",
			hops: [{ tokenIn: aapl, fee, tickSpacing }],
		});
		expect(row?.detail).not.toHaveProperty("calldata");
		expect(lab.sent.every(({ to }) => to === world.addresses.router.toLowerCase())).toBe(true);
	});

	const lies = Object.keys(LIES).filter((about): about is Lie =>
		/^\/quote/.test(LIES[about as Lie].at[0]),
	);
	for (const about of lies) {
		test(`an answer that lies about the ${about} is refused as a source, with its code`, async () => {
			stocks.router.fault({ kind: "lie", about });
			const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
			expect(body.status).toBe("submitted");
			expect(body.quotes[0]).toMatchObject({ source: "local", isTaken: true });
			expect(body.quotes[1]).toMatchObject({ source: "hosted", isTaken: false });
			expect(body.quotes[1]).toMatchObject({ code: "router_unreadable", outRaw: null });
			expect(body.sourcesMissing).toEqual(["hosted"]);
			expect(lab.sent).toHaveLength(1);
			expect(lab.sent[0]?.to).toBe(world.addresses.router.toLowerCase() as `0x${string}`);
		});
	}
});

describe("texts that are no command", () => {
	const refusal = async (body: unknown) => {
		const answer = await lab.ask("/v1/trading/intents", { by, body });
		expect(answer.status).toBe(422);
		return answer.body;
	};

	test("a sale without an amount is answered with a question", async () => {
		expect(await refusal({ command: "sell AAPL" })).toMatchObject({
			...{ code: "amount_required", detail: "How much AAPL is to be sold?" },
			suggestions: ["sell all AAPL", "sell half AAPL", "sell 25% AAPL"],
		});
		expect((await refusal({ action: "sell", asset: "AAPL" })).code).toBe("amount_required");
	});

	test.each([
		["buy 50 dollars of TSLA", "buy $<amount> of <asset>"],
		["buy TSLA for 50 USDG", "buy <asset> with <amount> <settlement>"],
		["buy me 6 shares of TSLA", "buy <quantity> shares <asset>"],
		["buy 1 TSLA now", "buy <quantity> <asset>"],
		["dump 6 TSLA", "sell <quantity> <asset> [to <settlement>]"],
		["please sell 6 shares TSLA", "sell <quantity> shares <asset>"],
		["sell fifty percent of TSLA", "sell <percent>% <asset>"],
		["exchange 1 TSLA to AAPL", "swap <quantity> <asset> to <asset>"],
		["hold my TSLA", "hold <asset>"],
		["hello", "buy <asset> with <amount> <settlement>"],
	])(
		"%s: the most similar form is returned, in words and as a member",
		async (command, nearest) => {
			const { code, detail, nearest: told } = await refusal({ command });
			expect([code, told]).toEqual(["command_invalid", nearest]);
			expect(detail).toEndWith(`The nearest is: ${nearest}`);
		},
	);

	test("ten kilobytes, two commands, politeness, another script", async () => {
		expect((await refusal({ command: "buy TSLA ".repeat(1_200) })).code).toBe("validation_error");
		for (const command of [
			"buy 1 TSLA and sell 1 AAPL",
			"buy 1 TSLA; sell 1 AAPL",
			"buy 1 TSLA\nsell 1 AAPL",
			"please buy 1 TSLA",
			"buy 1 ТSLA",
			"buy TSLA",
			"sell 101% TSLA",
			"sell 0% TSLA",
			"buy -1 TSLA",
			"buy 1e3 TSLA",
			"buy 1,000 TSLA",
			"sell all",
			"",
		]) {
			expect({ command, code: (await refusal({ command })).code }).toEqual({
				...{ command, code: "command_invalid" },
			});
		}
	});

	test("members that do not fit each other, and unknown members", async () => {
		for (const body of [
			{ action: "buy", asset: "TSLA" },
			{ action: "buy", asset: "TSLA", quantity: "1", spend: "1" },
			{ action: "buy", asset: "TSLA", percent: 50 },
			{ action: "sell", asset: "TSLA", spend: "1" },
			{ action: "hold", asset: "TSLA", quantity: "1" },
			{ action: "buy", asset: "TSLA", quantity: "1", slippage: "5" },
			{ command: "buy 1 TSLA", asset: "TSLA" },
			{ command: "buy 1 TSLA", walletId: crypto.randomUUID() },
		]) {
			expect({ body, code: (await refusal(body)).code }).toEqual({
				body,
				code: "validation_error",
			});
		}
	});
});

test("a profile without a wallet, and a wallet that may not pay, get their own refusals", async () => {
	by = await lab.trader({ capability: "disabled" });
	await expectRefused("buy TSLA with 0.01 ETH", "no_executable_wallet");
	await lab.db.execute("update wallets.wallet set removed_at = now() where id = $1", [
		by.wallet.id,
	]);
	await expectRefused("buy TSLA with 0.01 ETH", "no_executable_wallet");
});
