import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Anvil } from "#test/harness/anvil.ts";
import { openTradeLab } from "#test/harness/openTradeLab.ts";
import { recordPools, registerStocks, startStockChain } from "#test/harness/stockChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";
import { cataloguePrices } from "#test/sandbox/stocks/describeStockWorld.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: on a real chain, over HTTP and to the end, no trade is confirmed without its owner's
// yes that lost more than its bound against what its token is truly worth, which the service never
// sees: not in pools that stand elsewhere, without a record, or drained.

/** `prove` has a seed of its own. */
const ROUNDS = process.env["PROVE"] === "1" ? 100 : 8;
/** The bound of a price by feed or pool; its fair price may be as far off as pools' fees. */
const LOSS_MAX = 0.05 + 0.005;
const STOCKS = ["AMD", "PLTR", "TSLA", "MSFT"] as const;
let database: TestDatabase;
let anvil: Anvil;
let world: StockWorld;
beforeAll(async () => {
	[database, { anvil, world }] = await Promise.all([createTestDatabase(), startStockChain()]);
	await registerStocks(database.db, world);
});
afterAll(async () => {
	await anvil?.stop();
	await database?.drop();
});

test(`of ${ROUNDS} trades on a chain no confirmed one lost more than its bound (TEST_SEED=${TEST_SEED})`, async () => {
	const ended: Record<string, number> = {};
	for (let index = 0; index < ROUNDS; index++) {
		const prng = createPrng(TEST_SEED * 7_919 + index);
		const ticker = prng.pick(STOCKS);
		const usd = cataloguePrices()[ticker] ?? 0;
		// Every second round is honest: a property over nothing proves nothing.
		const skew = index % 2 === 0 ? 1 + prng.gauss() * 0.01 : prng.pick([0.5, 0.9, 1.12, 2]);
		const kept = index % 2 === 0 ? 10_000 : prng.pick([10_000, 10_000, 500]);
		const isRecorded = index % 2 === 0 || prng.chance(0.6);
		if (!isRecorded) await database.db.execute("truncate trading.pool_price");
		for (const pool of world.stock(ticker).pools) await world.drain(pool, kept);
		await world.moveMarket({ [ticker]: usd * skew }, { feeds: false });
		try {
			const told = { index, ticker, skew, kept, isRecorded };
			const round = await trade(index, ticker, {
				usd: prng.pick([20, 90, 400]),
				isBuy: prng.chance(0.5),
			});
			ended[round.status] = (ended[round.status] ?? 0) + 1;
			const isWithin = round.status !== "confirmed" || round.loss <= LOSS_MAX;
			expect({ ...told, ...round, isWithin }).toMatchObject({ isWithin: true });
		} finally {
			await world.moveMarket({ [ticker]: usd }, { feeds: false });
			for (const pool of world.stock(ticker).pools) await world.drain(pool, 10_000);
			await recordPools(database.db, world.pools);
		}
	}
	expect(ended["confirmed"]).toBeGreaterThanOrEqual(ROUNDS / 4);
	expect(ROUNDS - (ended["confirmed"] ?? 0)).toBeGreaterThan(0);
});

/** Trades so much; returns how it ended, and what of its worth is gone by the wallet's balances. */
async function trade(
	index: number,
	ticker: (typeof STOCKS)[number],
	{ usd, isBuy }: { usd: number; isBuy: boolean },
): Promise<{ status: string; command: string; loss: number }> {
	const lab = openTradeLab({ db: database.db, anvil, world });
	const by = await lab.trader({ account: (index % 9) + 1 });
	const each = cataloguePrices()[ticker] ?? 0;
	const { usdg } = world.addresses;
	const stock = world.stock(ticker).address;
	const quantity = (usd / each).toFixed(9);
	await world.give(usdg, by.wallet.address, BigInt(usd * 2 * 1e6));
	await world.give(stock, by.wallet.address, BigInt(Math.round((usd / each) * 2e9)) * 10n ** 9n);
	const worth = async () => {
		const [money, held] = await Promise.all([
			lab.balance(usdg, by.wallet.address),
			lab.balance(stock, by.wallet.address),
		]);
		return { money: Number(money) / 1e6, held: (Number(held) / 1e18) * each };
	};
	const before = await worth();
	const command = isBuy ? `buy ${ticker} with ${usd} USDG` : `sell ${quantity} ${ticker} to USDG`;
	const { body } = await lab.trade(by, command);
	if (/^(waiting|confirmation_required)$/.test(body.status) && body.link) {
		return { status: "asked", command, loss: 0 };
	}
	const { status } = await lab.settled(by, body.id);
	const after = await worth();
	const change = { money: after.money - before.money, held: after.held - before.held };
	const [paid, got] = isBuy ? [-change.money, change.held] : [-change.held, change.money];
	if (status !== "confirmed") expect(change).toEqual({ money: 0, held: 0 });
	return { status, command, loss: status === "confirmed" ? 1 - got / paid : 0 };
}
