import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { TradeLab } from "#test/harness/openTradeLab.ts";
import type { Trader } from "#test/harness/stockChain.ts";
import { useTradeLab } from "#test/harness/useTradeLab.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: whoever trades a stock whose token is several shares is told tokens and shares, by one
// multiplier that was read anew; where it changes or is not known, nothing is traded.

const ONE = 10n ** 18n;
const DOLLAR = 1_000_000n;
const HOUR_S = 3_600;
const stocks = useTradeLab();
let lab: TradeLab;
let world: StockWorld;
let account: number;
beforeEach(() => {
	({ lab, world, account } = stocks.open());
});
afterEach(() => world.setMultiplier(tsla(), 3n * ONE));

const tsla = () => world.stock("TSLA").address;
const nowS = () => Math.floor(lab.clock.ms / 1_000);

/** Opens a trader with $20,000 and four TSLA. */
async function trader(options: Parameters<TradeLab["trader"]>[0] = {}): Promise<Trader> {
	const by = await lab.trader({ account, ...options });
	await world.give(world.addresses.usdg, by.wallet.address, 20_000n * DOLLAR);
	await world.give(tsla(), by.wallet.address, 4n * ONE);
	return by;
}

const quote = async (by: Trader, body: object) =>
	(await lab.ask("/v1/trading/quotes", { by, body })).body;

describe("a token that represents three shares", () => {
	test("buy 1 TSLA: quote, trade, plan and line show one token and three shares", async () => {
		const by = await trader();
		const quoted = await quote(by, { command: "buy 1 TSLA" });
		const both = { tokens: "1", shares: "3" };
		expect(quoted).toMatchObject({
			buy: { symbol: "TSLA", multiplier: "3" },
			sell: { symbol: "USDG", multiplier: null },
			amounts: { received: both, leastReceived: both, spent: { shares: null } },
		});
		expect(quoted.price).toContain("USDG");
		const { body } = await lab.trade(by, "buy 1 TSLA");
		expect(body.amounts).toMatchObject({ received: both, leastReceived: both });
		expect(body.amounts.mostSpent.tokens).toBe(String(Number(body.mostSpentRaw) / Number(DOLLAR)));
		const trade = await lab.settled(by, body.id);
		expect(trade).toMatchObject({ status: "confirmed", buy: { multiplier: "3" } });
		expect(trade.plan.summary).toContain("for 1 TSLA (3 shares)");
		expect(trade.plan.amounts).toEqual(trade.amounts);
		expect(await lab.balance(tsla(), by.wallet.address)).toBe(5n * ONE);
		const tool = lab.tools.find(({ name }) => name === "read_trade");
		expect(tool?.line(trade)).toMatch(
			/^Swapping about [\d.]+ USDG for exactly 1 TSLA \(3 shares\)/,
		);
	});

	test("a price line shows shares and tokens if tokens are received", async () => {
		const by = await trader();
		const quoted = await quote(by, { command: "buy TSLA with 50 USDG" });
		expect(quoted.price).toMatch(/^You get at least [\d.]+… TSLA \([\d.]+… shares\); that is /);
		const { tokens, shares } = quoted.amounts.leastReceived;
		expect(Number(shares) / Number(tokens)).toBeCloseTo(3, 9);
	});

	test("sell 6 shares TSLA sells two tokens, and buy 6 shares TSLA buys two", async () => {
		const by = await trader();
		const sold = await lab.settled(by, (await lab.trade(by, "sell 6 shares TSLA")).body.id);
		expect(sold).toMatchObject({
			...{ status: "confirmed", amountRaw: String(2n * ONE) },
			wish: { kind: "sell", quantity: "6", unit: "shares" },
			amounts: { spent: { tokens: "2", shares: "6" } },
		});
		expect(await lab.balance(tsla(), by.wallet.address)).toBe(2n * ONE);
		const bought = await lab.settled(by, (await lab.trade(by, "buy 6 shares of TSLA")).body.id);
		expect(bought).toMatchObject({ status: "confirmed", settled: { receivedRaw: `${2n * ONE}` } });
		expect(await lab.balance(tsla(), by.wallet.address)).toBe(4n * ONE);
	});

	test("shares that are no whole tokens are rounded up for a buy, and down for a sale", async () => {
		const by = await trader();
		const third = ONE / 3n;
		const bought = await quote(by, { action: "buy", asset: "TSLA", shares: "1" });
		expect(bought.outRaw).toBe(String(third + 1n));
		const sold = await quote(by, { action: "sell", asset: "TSLA", shares: "1" });
		expect(sold.inRaw).toBe(String(third));
		const both = { action: "sell", asset: "TSLA", shares: "1", quantity: "1" };
		expect((await lab.ask("/v1/trading/quotes", { by, body: both })).status).toBe(422);
		for (const symbol of ["USDG", "ETH"]) {
			const money = await quote(by, {
				action: "sell",
				asset: symbol,
				shares: "1",
				settlement: "WETH",
			});
			expect(money.code).toMatch(/^(amount_invalid|pair_unsupported)$/);
		}
		const tiny = await quote(by, { action: "sell", asset: "TSLA", shares: `0.${"0".repeat(17)}1` });
		expect(tiny).toMatchObject({ isPossible: false, code: "amount_invalid" });
	});
});

describe("a multiplier that changes, or is unknown", () => {
	test("a multiplier that changes before the confirmation stops the trade, and both values are shown", async () => {
		const by = await trader({ requireTradeConfirmation: true });
		const wish = { action: "buy", asset: "TSLA", shares: "6", settlement: "ETH" };
		const { body } = await lab.ask("/v1/trading/intents", { by, body: wish });
		expect(body.status).toBe("confirmation_required");
		await world.setMultiplier(tsla(), 6n * ONE);
		await lab.ask(`/v1/trading/intents/${body.id}/confirm`, { by, method: "POST", body: {} });
		const trade = await lab.settled(by, body.id);
		expect(trade).toMatchObject({ status: "rejected", errorCode: "multiplier_changed" });
		// What it shows is all of the multiplier by which it was asked for.
		expect(trade).toMatchObject({
			buy: { multiplier: "3" },
			amounts: { received: { tokens: "2", shares: "6" } },
		});
		expect(lab.sent).toEqual([]);
	});

	test("a multiplier that changes after the allowance stops the swap, and the remaining allowance is shown", async () => {
		const by = await trader();
		lab.state.beforeSend = () => world.setMultiplier(tsla(), 6n * ONE);
		const { body } = await lab.trade(by, "sell 6 shares TSLA");
		const trade = await lab.settled(by, body.id);
		expect(trade).toMatchObject({ status: "rejected", errorCode: "multiplier_changed" });
		expect(trade.leftover).toMatchObject({ amountRaw: String(2n * ONE) });
		expect(lab.sent).toHaveLength(1);
		expect(await lab.balance(tsla(), by.wallet.address)).toBe(4n * ONE);
	});

	test("a multiplier announced for the next minutes is waited for; one for tomorrow is not", async () => {
		const by = await trader();
		await world.setMultiplier(tsla(), 6n * ONE, nowS() + 300);
		const { body } = await lab.trade(by, "buy 1 TSLA");
		expect(body).toMatchObject({ status: "rejected", errorCode: "multiplier_changed" });
		expect(body.reason).toMatch(/^One TSLA is 3 shares, and 6 shares from 20\S+Z on: ask again/);
		expect(lab.sent).toEqual([]);
		await world.setMultiplier(tsla(), 6n * ONE, nowS() + 24 * HOUR_S);
		expect(await quote(by, { command: "buy 1 TSLA" })).toMatchObject({
			...{ isPossible: true, amounts: { received: { tokens: "1", shares: "3" } } },
		});
	});

	test("a trade is refused while its multiplier cannot be read", async () => {
		const by = await trader();
		await world.setMultiplier(tsla(), 0n);
		for (const command of ["buy 1 TSLA", "sell all TSLA", "sell 3 shares TSLA"]) {
			const { body } = await lab.trade(by, command);
			expect(body).toMatchObject({ status: "rejected", errorCode: "multiplier_unknown" });
			expect(body.reason).toBe("How many shares one TSLA is cannot be read now.");
		}
		expect(lab.sent).toEqual([]);
	});
});
