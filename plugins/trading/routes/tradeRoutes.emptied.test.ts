import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { encodeFunctionData } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import { silentLog } from "#core/log.ts";
import { MINUTE_MS } from "#core/time.ts";
import { createPoolAverages } from "#plugins/trading/prices/createPoolAverages.ts";
import { createPools } from "#plugins/trading/registry/createPools.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import { openTradeLab, type TradeLab } from "#test/harness/openTradeLab.ts";
import { registerStocks, startStockChain, type Trader } from "#test/harness/stockChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { cataloguePrices, poolOf, priceOf } from "#test/sandbox/stocks/describeStockWorld.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";
import { makeRoom } from "#test/sandbox/stocks/poolMemory.ts";
import { makerAbi, TICK_SPACING } from "#test/sandbox/stocks/stockCatalogue.ts";

// Guarantee: who provides a pool's liquidity cannot take it away, move the price by dust, wait half
// an hour, and come back: such a mean supports no trade, by the pool's own history and by our
// record. Its owner is asked in figures.

const DOLLAR = 1_000_000n;
const { signal } = new AbortController();
let database: TestDatabase;
let anvil: Anvil;
let world: StockWorld;
let lab: TradeLab;
let by: Trader;
let account = 0;
beforeAll(async () => {
	[database, { anvil, world }] = await Promise.all([createTestDatabase(), startStockChain()]);
	await registerStocks(database.db, world);
});
afterAll(async () => {
	await anvil?.stop();
	await database?.drop();
});
beforeEach(async () => {
	await database.db.execute("truncate trading.pool_price");
	lab = openTradeLab({ db: database.db, anvil, world });
	const block = await anvil.rpc<{ timestamp: string }>("eth_getBlockByNumber", ["latest", false]);
	lab.clock.ms = Math.max(lab.clock.ms, Number(block.timestamp) * 1_000);
	account++;
	by = await lab.trader({ account });
	await world.give(world.addresses.usdg, by.wallet.address, 100n * DOLLAR);
});

/** Lets the chain and the service be so much later; the pools are read each minute meanwhile. */
async function wait(
	minutes: number,
	isRead: boolean,
	more: readonly StockWorld["pools"][number][] = [],
): Promise<void> {
	const { db, clock, rpc } = lab;
	const config = [...world.pools, ...more].map(({ address, token0, token1, fee }) => {
		const tokens: [Address, Address] = [lower(token0), lower(token1)];
		return { address: lower(address), tokens, fee };
	});
	const pools = createPools({
		...{ config, factory: lower(world.addresses.factory), rpc, log: silentLog },
		quoter: lower(world.addresses.quoter),
		...{ readAssets: async () => [], deviationBpsMax: 10_000 },
		reference: { priceUsd: async () => null },
	});
	const averages = createPoolAverages({ rpc, db, clock });
	for (let minute = 0; minute < minutes; minute++) {
		clock.ms += MINUTE_MS;
		if (isRead) await averages.note(await pools.refresh(signal));
	}
	await anvil.rpc("evm_increaseTime", [minutes * 60]);
	await anvil.rpc("anvil_mine", ["0x1"]);
}

const lower = (text: string) => text.toLowerCase() as Address;
const ofAmd = () => {
	const [pool] = world.stock("AMD").pools;
	if (!pool) throw new Error("AMD has a pool");
	return pool;
};

/** Empties the pool but for so much, has it stand at another price, waits, and fills it again. */
async function attack(usd: number, keepBps: number, isRead: boolean): Promise<void> {
	await world.drain(ofAmd(), keepBps);
	await world.moveMarket({ AMD: usd }, { feeds: false });
	await wait(31, isRead);
	await world.drain(ofAmd(), 10_000);
}

async function expectAsked(): Promise<void> {
	const { body } = await lab.trade(by, "buy AMD with 100 USDG");
	expect({ status: body.status, code: body.errorCode, price: body.price }).toEqual({
		...{ code: null, price: expect.stringContaining("Nothing sure says ") },
		status: expect.stringMatching(/^(confirmation_required|waiting)$/),
	});
	expect(lab.sent).toEqual([]);
}

/**
 * Opens a pool of AMD whose only position begins or ends at its price: deep, and on one side. At
 * that price nobody wants it, so it risks nothing.
 */
async function openOneSided(fee: 100 | 10_000): Promise<StockWorld["pools"][number]> {
	const { usdg, issuer, maker } = world.addresses;
	const place = poolOf(world.stock("AMD").address, usdg, fee);
	const price = Number(priceOf(place, { ...cataloguePrices(), AMD: 430 })) / 2 ** 96;
	const spacing = TICK_SPACING[fee];
	const at = Math.floor(Math.log(price ** 2) / Math.log(1.0001) / spacing) * spacing;
	const sqrtPriceX96 = BigInt(Math.floor(1.0001 ** (at / 2) * (1 + 1e-9) * 2 ** 48)) << 48n;
	const spans = [{ lower: at, upper: at + spacing, liquidity: 10n ** 19n }];
	const opening = { tokenA: place.token0, tokenB: place.token1, fee, sqrtPriceX96, spans };
	const data = encodeFunctionData({ abi: makerAbi, functionName: "open", args: [[opening]] });
	await anvil.rpc("anvil_impersonateAccount", [issuer]);
	await anvil.rpc("eth_sendTransaction", [{ from: issuer, to: maker, data, gas: "0x989680" }]);
	await anvil.mined();
	return place;
}

test("a pool whose liquidity is on one side of its price supports no trade, however deep it seems", async () => {
	const pools = [await openOneSided(100), await openOneSided(10_000)];
	await wait(31, true, pools);
	const { rpc, db, clock } = lab;
	const averages = createPoolAverages({ rpc, db, clock });
	const asked = [...pools, ofAmd()].map(({ address }) => lower(address));
	const [low, high, honest] = await averages.read(asked, signal);
	await database.db.execute("truncate trading.pool_price");
	for (const one of await averages.read(asked, signal)) expect(one?.isWhole ?? false).toBe(false);
	for (const one of [low, high]) expect(one).toMatchObject({ isWhole: false });
	expect(honest).toMatchObject({ isWhole: true });
	expect(honest?.liquidity).toBeGreaterThan(10n ** 12n);
});

test("our record of a pool that was emptied for half an hour supports no trade", async () => {
	await attack(430, 1, true);
	await expectAsked();
	await world.moveMarket({ AMD: 215 }, { feeds: false });
	// Honest half an hour is all that it takes.
	await wait(31, true);
	const { body } = await lab.trade(by, "buy AMD with 100 USDG");
	expect(body.price).toEndWith("from pool.");
	expect((await lab.settled(by, body.id)).status).toBe("confirmed");
});

for (const [what, keepBps] of [
	["without anything", 0],
	["with a ten-thousandth of it", 1],
] as const) {
	test(`a pool's own history ${what} in it supports no trade`, async () => {
		await anvil.rpc("anvil_impersonateAccount", [by.wallet.address]);
		await anvil.rpc("eth_sendTransaction", [{ from: by.wallet.address, ...makeRoom(ofAmd()) }]);
		await anvil.mined();
		await attack(430, keepBps, false);
		await expectAsked();
		await world.moveMarket({ AMD: 215 }, { feeds: false });
		await wait(31, false);
		// Nobody looked meanwhile: what it offered on which side is not known.
		await expectAsked();
		await wait(31, true);
		const { body } = await lab.trade(by, "buy AMD with 100 USDG");
		expect(body.price).toEndWith("from pool.");
	});
}
