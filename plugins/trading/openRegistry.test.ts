import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import { MULTICALL } from "#plugins/trading/settleViews.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { issuerRow, startIssuerServer } from "#plugins/trading/testing/issuerServer.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { compileRuntime } from "#test/harness/compileFixtures.ts";
import { openRegistryLab } from "#test/harness/openRegistryLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import type { Stock } from "#test/sandbox/stocks/describeStockWorld.ts";
import { openStockWorld, type StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: over real contracts, registry, prices, pools and holdings agree with the chain.

const ONE = 10n ** 18n;
let database: TestDatabase;
let anvil: Anvil;
let world: StockWorld;
let issuer: ReturnType<typeof startIssuerServer>;
let lab: ReturnType<typeof openRegistryLab>;
let options: Parameters<typeof openRegistryLab>[0];
const BOUNDS = { timeoutMs: 20_000, batchMax: 250, concurrencyMax: 2, bodyBytesMax: 10 ** 7 };
const clock = { ms: 0, nowMs: () => clock.ms };
beforeAll(async () => {
	database = await createTestDatabase();
	anvil = await startAnvil({ args: ["--chain-id", "4663"] });
	world = await openStockWorld(anvil.url);
	issuer = startIssuerServer();
	issuer.state.rows = [...world.stocks, world.bad.paused, world.bad.decimals].map(rowOf);
	const withFeed = world.stocks.flatMap(({ address, feed }) => (feed ? [[address, feed]] : []));
	const pools = world.pools.map(({ address, token0, token1, fee }) => {
		return { address, tokens: [token0, token1], fee };
	});
	await follow();
	options = {
		...{ db: database.db, rpc: httpRpc({ url: anvil.url, ...BOUNDS }), clock },
		env: {
			STOCK_ASSETS_BASE_URL: issuer.url,
			STOCK_FEEDS_JSON: JSON.stringify(Object.fromEntries(withFeed)),
			STOCK_MARKET_HOURS: "always",
			TRADE_POOLS_JSON: JSON.stringify(pools),
		},
	};
	lab = openRegistryLab(options);
	await lab.sync();
});
afterAll(async () => {
	await lab?.end();
	await issuer?.stop();
	await anvil?.stop();
	await database?.drop();
});
beforeEach(() => follow());

/** Sets the test's clock to the chain's time. */
async function follow(): Promise<void> {
	const { timestamp } = await anvil.rpc<{ timestamp: string }>("eth_getBlockByNumber", [
		"latest",
		false,
	]);
	clock.ms = Math.max(clock.ms + 5_000, Number(timestamp) * 1_000);
}

function rowOf({ uid: id, ticker, address }: Stock) {
	return issuerRow(ticker, lower(address), { id });
}

const lower = (address: string) => address.toLowerCase() as `0x${string}`;

async function found(ticker: string) {
	const answer = await lab.assets.find(database.db, ticker);
	if (answer.kind !== "asset") throw new Error(`${ticker} is ${answer.kind}`);
	return answer.asset;
}

test("[TRD-11] a dozen stocks, WETH and USDG are checked on chain and active; a paused one is not", async () => {
	const rows = await assetRows.all(database.db, 4_663);
	const active = rows.filter(({ status }) => status === "active").map(({ symbol }) => symbol);
	for (const { ticker } of world.stocks) expect(active).toContain(ticker);
	expect(active).toContain("USDG");
	expect(active).toContain("WETH");
	const statusOf = async ({ address }: Stock) => {
		return (await assetRows.read(database.db, 4_663, lower(address)))?.status;
	};
	expect(await statusOf(world.bad.paused)).toBe("paused");
	expect(await statusOf(world.bad.decimals)).toBe("rejected");
	expect(await found("$tsla")).toMatchObject({
		...{ address: lower(world.stock("TSLA").address), decimals: 18, kind: "stock" },
		...{ status: "active", multiplier: world.stock("TSLA").multiplier },
	});
	expect(await found("USDG")).toMatchObject({ decimals: 6, kind: "stable" });
	expect(await found("WETH")).toMatchObject({ decimals: 18, kind: "wrapped" });
	expect(await found("eth")).toMatchObject({ address: `0x${"0".repeat(40)}`, kind: "native" });
});

test("a second token with the same ticker does not get it, and the first one keeps it", async () => {
	const { namesake } = world.bad;
	issuer.state.rows.push(rowOf(namesake));
	await lab.sync();
	const row = await assetRows.read(database.db, 4_663, lower(namesake.address));
	expect(row).toMatchObject({ status: "rejected", flaws: ["symbol_confusable"] });
	expect((await found("AAPL")).address).toBe(lower(world.stock("AAPL").address));
	issuer.state.rows.pop();
});

test("a token that keeps a part of each transfer, or refuses its pool, is rejected", async () => {
	const { taxed, blocking } = world.bad;
	issuer.state.rows.push(rowOf(taxed), rowOf(blocking));
	await lab.sync();
	const flawsOf = async ({ address }: Stock) => {
		return (await assetRows.read(database.db, 4_663, lower(address)))?.flaws;
	};
	expect(await flawsOf(taxed)).toEqual(["transfer_fee"]);
	expect(await flawsOf(blocking)).toEqual(["transfer_refused"]);
	const amd = world.stock("AMD");
	await world.setTransferFee(amd.address, 1);
	await lab.sync();
	expect(await flawsOf(amd)).toEqual(["transfer_fee"]);
	await world.setTransferFee(amd.address, 0);
	await lab.sync();
	expect(await found("AMD")).toMatchObject({ status: "active" });
	issuer.state.rows.length -= 2;
});

test("a token that its issuer renames is not tradable until the issuer's list agrees", async () => {
	const { address } = world.stock("GME");
	await world.rename(address, "GME2");
	await lab.sync();
	const renamed = await assetRows.read(database.db, 4_663, lower(address));
	expect(renamed).toMatchObject({ status: "rejected", flaws: ["symbol_differs"] });
	await world.rename(address, "GME");
	await lab.sync();
	expect(await found("GME")).toMatchObject({ status: "active" });
});

test("[TRD-04] a holding is its raw balance times the feed's full price, before and after a split", async () => {
	const by = await lab.person();
	const { address, multiplier } = world.stock("NVDA");
	await world.give(address, by.wallet.address, 2n * ONE);
	const read = async () => {
		await follow();
		const { body } = await lab.ask("/v1/trading/holdings", { by });
		return body.data[0];
	};
	const before = await read();
	const asset = await found("NVDA");
	const price = await lab.reference.priceUsd(asset);
	if (!price || "closed" in price) throw new Error("no price");
	const shares = Number((2n * multiplier * 10_000n) / ONE) / 10_000;
	expect(before).toMatchObject({ symbol: "NVDA", balanceRaw: String(2n * ONE), balance: "2" });
	expect(Number(before.uiBalance)).toBeCloseTo(shares, 4);
	expect(before.valueUsd).toBeCloseTo(2 * (Number(price.microsPerUnit) / 1e6), 4);
	// After a split each token shows four times the shares, and the feed stays the price of a token.
	await world.setMultiplier(address, multiplier * 4n);
	const after = await read();
	expect(Number(after.uiBalance)).toBeCloseTo(shares * 4, 3);
	expect([after.balanceRaw, after.valueUsd]).toEqual([before.balanceRaw, before.valueUsd]);
	await world.setMultiplier(address, multiplier);
});

test("[TRD-04] holdings are the same with one multicall and with single calls", async () => {
	const by = await lab.person();
	for (const ticker of ["AAPL", "TSLA", "AMD", "GME"]) {
		await world.give(world.stock(ticker).address, by.wallet.address, ONE / 3n);
	}
	await world.give(world.addresses.usdg, by.wallet.address, 1_234_567n);
	await anvil.rpc("anvil_setBalance", [by.wallet.address, "0xde0b6b3a7640000"]);
	await follow();
	const read = async (from: typeof lab) => (await from.ask("/v1/trading/holdings", { by })).body;
	const alone = await read(lab);
	expect(alone.data).toHaveLength(6);
	await anvil.rpc("anvil_setCode", [MULTICALL, compileRuntime("Together").code]);
	const rpc = httpRpc({ url: anvil.url, ...BOUNDS });
	expect((await read(openRegistryLab({ ...options, rpc }))).data).toEqual(alone.data);
	expect(rpc.stats().calls).toBeLessThan(5);
});

test("a pending multiplier is known, and takes effect at its time", async () => {
	const { address } = world.stock("AMZN");
	const atS = Math.floor(clock.ms / 1_000) + 3_600;
	await world.setMultiplier(address, 2n * ONE, atS);
	await lab.sync();
	expect(await assetRows.read(database.db, 4_663, lower(address))).toMatchObject({
		...{ multiplier: ONE, pendingMultiplier: 2n * ONE, pendingAt: new Date(atS * 1_000) },
	});
	await anvil.rpc("evm_increaseTime", [7_200]);
	await anvil.rpc("evm_mine");
	await lab.sync();
	expect(await assetRows.read(database.db, 4_663, lower(address))).toMatchObject({
		...{ multiplier: 2n * ONE, pendingMultiplier: null, pendingAt: null },
	});
});

test("a feed that is dead, negative or 2^255, and a paused oracle, each make one price unknown", async () => {
	const { address } = world.stock("AAPL");
	const priceOf = async (ticker: string) => {
		clock.ms += 5_000;
		return lab.reference.priceUsd(await found(ticker));
	};
	await refresh();
	expect(await priceOf("AAPL")).toMatchObject({ microsPerUnit: 275_000_000n });
	const spoilings: [() => Promise<void>, () => Promise<void>][] = [
		[() => world.setFeedDead("AAPL", true), () => world.setFeedDead("AAPL", false)],
		[() => world.setFeed("AAPL", -1n), () => world.setFeed("AAPL", 275_00000000n)],
		[() => world.setFeed("AAPL", -(2n ** 255n)), () => world.setFeed("AAPL", 275_00000000n)],
		[() => world.setOraclePaused(address, true), () => world.setOraclePaused(address, false)],
	];
	for (const [spoil, mend] of spoilings) {
		await spoil();
		expect(await priceOf("AAPL")).toBeNull();
		expect(await priceOf("MSFT")).not.toBeNull();
		await mend();
		expect(await priceOf("AAPL")).toMatchObject({ microsPerUnit: 275_000_000n });
	}
	// Then the pool cannot be judged by feeds, and the holding has no value; both come back.
	expect(await priceOf("AMD")).toBeNull();
});

test("only pools near their feeds are used, the deepest first", async () => {
	const { signal } = new AbortController();
	const usdg = { chainId: 4_663, currency: lower(world.addresses.usdg), usd: 1, decimals: 6 };
	lab.prices.set(usdg);
	lab.prices.setEth(2_500);
	const aapl = lower(world.stock("AAPL").address);
	const used = async () => {
		await refresh();
		await lab.pools.refresh(signal);
		const pools = lab.assets.pools();
		return pools.filter(({ token0, token1 }) => token0 === aapl || token1 === aapl);
	};
	const before = await used();
	expect(before).toHaveLength(3);
	// A pool whose token cannot be moved offers nothing, however much liquidity it has.
	const offered = new Map(
		(await lab.pools.refresh(signal)).map((one) => [one.pool, one.liquidity]),
	);
	const depths = lab.assets.pools().map(({ address }) => offered.get(address) ?? 0n);
	expect(depths.filter((depth) => depth === 0n).length).toBeGreaterThan(0);
	expect(depths).toEqual(depths.toSorted((a, b) => (a > b ? -1 : 1)));
	await world.moveMarket({ AAPL: 250 }, { feeds: false });
	expect(await used()).toEqual([]);
	await world.moveMarket({ AAPL: 275 });
	expect(await used()).toHaveLength(3);
});

/** Updates every feed after time was moved. */
async function refresh(): Promise<void> {
	await follow();
	for (const { ticker, feed, shareUsd, multiplier } of world.stocks) {
		const answer = (BigInt(shareUsd) * 10n ** 8n * multiplier) / ONE;
		if (feed) await world.setFeed(ticker, answer);
	}
	await follow();
}
