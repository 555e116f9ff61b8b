import { beforeEach, expect, test } from "bun:test";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { HOUR_MS } from "#core/time.ts";
import type { TradeLab } from "#test/harness/openTradeLab.ts";
import { recordPools, type Trader } from "#test/harness/stockChain.ts";
import { useTradeLab } from "#test/harness/useTradeLab.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: no trade goes at a price that nothing supports. Its owner is asked in figures, up to a
// bound; above it, and for a sale that nothing counts, it is refused.

const stocks = useTradeLab();
let lab: TradeLab;
let world: StockWorld;
let by: Trader;
let account: number;
beforeEach(async () => {
	stocks.router.clearFaults();
	({ lab, world, account } = stocks.open());
	by = await lab.trader({ account });
});

const ONE = 10n ** 18n;
const DOLLAR = 1_000_000n;
const give = (token: string, raw: bigint) =>
	world.give(token as `0x${string}`, by.wallet.address, raw);
const checkOf = (trade: any, name: string) =>
	trade.policy.find(({ check }: any) => check === name)?.outcome;

/** Forgets our own record while it runs: a service that was installed a minute ago. */
async function withoutRecord(run: () => Promise<void>): Promise<void> {
	await lab.db.execute("truncate trading.pool_price");
	try {
		await run();
	} finally {
		await recordPools(lab.db, world.pools);
	}
}

async function expectAsked(command: string): Promise<any> {
	const { body } = await lab.trade(by, command);
	expect({ status: body.status, errorCode: body.errorCode, sent: lab.sent }).toMatchObject({
		...{ errorCode: null, sent: [] },
		status: expect.stringMatching(/^(confirmation_required|waiting)$/),
	});
	expect(await lab.ledger(body.intentId)).toEqual({});
	expect(checkOf(body, "price")).toBe("asked");
	return body;
}

async function expectRefused(command: string, errorCode: string): Promise<any> {
	const { body } = await lab.trade(by, command);
	expect({ command, at: body.status, code: body.errorCode }).toEqual({
		...{ command, at: "rejected", code: errorCode },
	});
	expect(lab.sent).toEqual([]);
	return body;
}

test("a stock without a feed uses its pools' average of half an hour, and shows the distance from it", async () => {
	await give(world.addresses.usdg, 100n * DOLLAR);
	const body = { command: "buy AMD with 100 USDG" };
	const { body: quote } = await lab.ask("/v1/trading/quotes", { by, body });
	expect(quote).toMatchObject({ isPossible: true, code: null });
	expect(quote.price).toMatch(
		/^You get at least 0\.46\d+… AMD; that is 0\.\d\d % below the fair price of 0\.46\d+… AMD, from pool\.$/,
	);
	const { body: trade } = await lab.trade(by, body.command);
	expect(trade.errorCode).toBeNull();
	expect(trade.price).toBe(quote.price);
	expect((await lab.settled(by, trade.id)).status).toBe("confirmed");
});

test("an answer with a feed names feed and pool, and a link shows the same line", async () => {
	by = await lab.trader({ account, requireTradeConfirmation: true });
	await give(world.addresses.usdg, 100n * DOLLAR);
	const { body } = await lab.trade(by, "buy TSLA with 50 USDG");
	expect(body.price).toMatch(/ % below the fair price of 0\.04\d+… TSLA, from feed and pool\.$/);
	const { body: link } = await lab.ask(`/v1/links/${body.link.url.split("/").at(-1)}`);
	expect(link.transactions[0].shown.summary).toEndWith(body.price);
});

test("if the node fails once, a hosted route has no second quote, and its owner is asked", async () => {
	const env = { ROUTER_BASE_URL: stocks.router.url, TRADE_QUOTE_TIMEOUT_MS: 1_000 };
	lab = stocks.open(env).lab;
	await give(world.addresses.usdg, 300n * DOLLAR);
	const { settle } = lab.rpc;
	lab.state.settle = (calls, options) => {
		lab.state.settle = null;
		const isQuote = JSON.stringify(calls).includes("cdca1753");
		if (isQuote) return Promise.reject(rpcFault.transport({ detail: "stalled" }));
		const answer = settle(calls, options);
		lab.state.settle = stalling;
		return answer;
	};
	const stalling = lab.state.settle;
	const asked = await expectAsked("buy AMD with 100 USDG");
	expect(asked.sourcesMissing).toEqual(["local"]);
	// The hosted way was played on chain, so what it does to the pool is known, and is checked.
	expect(checkOf(asked, "price_impact")).toBe("passed");
	expect(asked.price).toContain("It counts as $100.00.");
	lab.state.settle = stalling;
	await expectRefused("buy AMD with 300 USDG", "price_unknown");
});

test("a nearly empty pool does not execute a trade of twenty shares", async () => {
	const [pool] = world.stock("GME").pools;
	if (!pool) throw new Error("it has one pool");
	await give(world.stock("GME").address, 20n * ONE);
	await world.drain(pool, 1);
	try {
		const refused = await expectRefused("sell 20 GME", "price_impact");
		expect(refused.quotes[0].impactBps).toBeGreaterThan(5_000);
	} finally {
		await world.drain(pool, 10_000);
	}
});

test("while the market is closed the last close is the reference, with a wider bound", async () => {
	await world.moveMarket({ MSFT: 980 }, { feeds: false });
	lab.clock.ms += 26 * HOUR_MS;
	try {
		await expectRefused("buy MSFT with 0.01 ETH", "price_deviation");
		await world.moveMarket({ MSFT: 525 }, { feeds: false });
		const { body } = await lab.trade(by, "buy MSFT with 0.01 ETH");
		expect(body).toMatchObject({ errorCode: null, price: expect.stringContaining("last close") });
		expect(checkOf(body, "price")).toBe("passed");
		// A close of last week is none: who trades on it is asked.
		lab.clock.ms += 120 * HOUR_MS;
		lab.sent.length = 0;
		await expectAsked("buy MSFT with 0.01 ETH");
	} finally {
		await world.moveMarket({ MSFT: 490 });
	}
});

test("a buy without feed and record is confirmed by a link with its figures, and then sent", () =>
	withoutRecord(async () => {
		await give(world.addresses.usdg, 400n * DOLLAR);
		const asked = await expectAsked("buy AMD with 150 USDG");
		expect(asked.price).toMatch(/^You get at least 0\.69\d+… AMD\. Nothing sure says /);
		expect(asked.price).toContain("It counts as $150.00.");
		const path = `/v1/links/${asked.link.url.split("/").at(-1)}`;
		const { body: link } = await lab.ask(path);
		expect(link.transactions[0].shown.summary).toEndWith(asked.price);
		await lab.ask(path, { body: { planHash: link.planHash } });
		expect((await lab.settled(by, asked.id)).status).toBe("confirmed");
		lab.sent.length = 0;
		const refused = await expectRefused("buy AMD with 201 USDG", "price_unknown");
		expect(refused.reason).toContain("It counts as $201.00");
	}));

test("a sale without feed and record is refused, however small", () =>
	withoutRecord(async () => {
		await give(world.stock("AMD").address, ONE);
		await expectRefused("sell 0.001 AMD", "price_unknown");
		const { body } = await lab.ask("/v1/trading/quotes", { by, body: { command: "sell 0.5 AMD" } });
		expect(body).toMatchObject({ isPossible: false, code: "price_unknown" });
	}));

test("a record far from the pool's price refuses a trade, and a record with gaps allows none", async () => {
	await give(world.stock("AMD").address, 2n * ONE);
	await world.moveMarket({ AMD: 100 }, { feeds: false });
	try {
		await expectRefused("sell 0.5 AMD", "price_deviation");
		await world.moveMarket({ AMD: 215 }, { feeds: false });
		await lab.db.execute(
			"delete from trading.pool_price where extract(minute from minute)::int % 3 = 0",
		);
		// It counts at the record's highest of the day, not at what the pool gives now.
		const asked = await expectAsked("sell 0.5 AMD");
		expect(asked.price).toMatch(/It counts as \$10[78]\.\d\d\. By the mean of its pools/);
		await expectRefused("sell 1 AMD", "price_unknown");
	} finally {
		await world.moveMarket({ AMD: 215 }, { feeds: false });
		await recordPools(lab.db, world.pools);
	}
});

test("a trade whose reference price is lost before its swap is not sent", async () => {
	by = await lab.trader({ account, requireTradeConfirmation: true });
	await give(world.addresses.usdg, 100n * DOLLAR);
	const { body } = await lab.trade(by, "buy PLTR with 50 USDG");
	expect(body.price).toContain("from pool");
	await withoutRecord(async () => {
		lab.clock.ms += 31_000;
		await lab.ask(`/v1/trading/intents/${body.id}/confirm`, { by, method: "POST", body: {} });
		const ended = await lab.settled(by, body.id);
		expect(ended).toMatchObject({ status: "rejected", settled: null });
		expect(lab.sent.map(({ to }) => to)).not.toContain(
			world.addresses.router.toLowerCase() as never,
		);
	});
});
