import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Address, createPublicClient, getAddress, http } from "viem";
import { robinhood } from "viem/chains";
import { buybackBurnerAbi, revenueRouterAbi } from "#plugins/tokenomics/contracts/abi.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { keeperWallet } from "../custody/people.ts";
import { openStockWorld } from "../stocks/openStockWorld.ts";
import { stockAbi, stockAddresses, uniswapAbi } from "../stocks/stockCatalogue.ts";
import {
	economySettings,
	firstHolders,
	oracleAbi,
	payees,
	SUPPLY,
	TREASURER,
	tapePriceOf,
} from "./describeEconomy.ts";
import { type Economy, openEconomy } from "./openEconomy.ts";

const USD = { tape: 0.05, eth: 2_500 };
const TWAP_S = 600;
const keeper = keeperWallet().address;
let anvil: Anvil;
let economy: Economy;
let chain: ReturnType<typeof openChain>;

const openChain = () => createPublicClient({ chain: robinhood, transport: http(anvil.url) });

beforeAll(async () => {
	anvil = await startAnvil({ args: ["--chain-id", "4663"] });
	await openStockWorld(anvil.url);
	economy = await openEconomy(anvil.url, { keeper, ethUsd: USD.eth });
	chain = openChain();
});
afterAll(() => anvil?.stop());

const slotOf = (address: Address) =>
	chain.readContract({ address, abi: oracleAbi, functionName: "slot0" });

/** The mean tick of the last minutes. */
async function meanTick(address: Address): Promise<number> {
	const [ticks] = await chain.readContract({
		...{ address, abi: oracleAbi, functionName: "observe", args: [[TWAP_S, 0]] },
	});
	const [from = 0n, to = 0n] = ticks;
	return Number((to - from) / BigInt(TWAP_S));
}

test("the router's share for burning belongs to the keeper, and the burner buys this token", async () => {
	const { router, burner, token } = economy.addresses;
	const ofRouter = { address: router, abi: revenueRouterAbi } as const;
	const ofBurner = { address: burner, abi: buybackBurnerAbi } as const;
	const paid = [0, 1, 2, 3].map((bucket) =>
		chain.readContract({ ...ofRouter, functionName: "payeeOf", args: [bucket] }),
	);
	const { holders, league, treasury } = payees;
	expect(await Promise.all(paid)).toEqual([holders, league, keeper, treasury].map(checksummed));
	expect(await chain.readContract({ ...ofBurner, functionName: "keeper" })).toBe(keeper);
	expect(await chain.readContract({ ...ofBurner, functionName: "token" })).toBe(token);
	expect(await chain.readContract({ ...ofRouter, functionName: "owner" })).toBe(
		checksummed(TREASURER),
	);
	const told = economySettings();
	expect([told.token, told.router, told.burner].map(checksummed)).toEqual([token, router, burner]);
});

test("the token's pools hold liquidity at its price, and store the average of the last ten minutes", async () => {
	const { usdg, weth } = stockAddresses;
	const depths: bigint[] = [];
	for (const pool of economy.pools) {
		const { address, token0, token1, fee } = pool;
		const args = [token0, token1, fee] as const;
		const found = await chain.readContract({
			...{ address: stockAddresses.factory, abi: uniswapAbi, functionName: "getPool", args },
		});
		expect(found).toBe(checksummed(address));
		const [price, tick, , , room] = await slotOf(address);
		expect(price).toBe(tapePriceOf(pool, USD));
		expect(Math.abs((await meanTick(address)) - tick)).toBeLessThanOrEqual(1);
		expect(room).toBe(120);
		const other = [token0, token1].includes(usdg) ? usdg : weth;
		const held = { abi: stockAbi, functionName: "balanceOf", args: [address] } as const;
		const raw = await chain.readContract({ ...held, address: other });
		depths.push(other === usdg ? raw / 10n ** 6n : (raw * 2_500n) / 10n ** 18n);
	}
	const [deep = 0n, thin = 0n, dollars = 0n] = depths;
	expect(deep > 5n * thin && thin > 100_000n && dollars > 100_000n).toBe(true);
});

test("a price change is recorded, and moves the average later than the price", async () => {
	const [pool] = economy.pools;
	if (!pool) throw new Error("no pool");
	const before = await slotOf(pool.address);
	await economy.movePrice({ ...USD, tape: 0.055 });
	const [, tick, , cardinality] = await slotOf(pool.address);
	expect(Math.abs(tick - before[1])).toBeGreaterThan(900);
	expect(cardinality).toBe(120);
	expect(Math.abs((await meanTick(pool.address)) - before[1])).toBeLessThan(100);
	await anvil.rpc("evm_increaseTime", [2 * TWAP_S]);
	await anvil.rpc("evm_mine");
	expect(Math.abs((await meanTick(pool.address)) - tick)).toBeLessThanOrEqual(1);
	await economy.movePrice(USD);
});

test("a price that is set as settled is the average at once, and is recorded from then on", async () => {
	const [pool] = economy.pools;
	if (!pool) throw new Error("no pool");
	for (const tape of [0.052, 0.051, 0.056]) {
		await economy.movePrice({ ...USD, tape });
		await anvil.rpc("evm_increaseTime", [TWAP_S / 10]);
	}
	await economy.settlePrice({ ...USD, tape: 0.053 });
	const [price, tick] = await slotOf(pool.address);
	expect(price).toBe(tapePriceOf(pool, { ...USD, tape: 0.053 }));
	expect(Math.abs((await meanTick(pool.address)) - tick)).toBeLessThanOrEqual(1);
	await economy.movePrice({ ...USD, tape: 0.055 });
	expect((await slotOf(pool.address))[3]).toBe(120);
	expect(Math.abs((await meanTick(pool.address)) - tick)).toBeLessThan(100);
	await economy.settlePrice(USD);
});

test("the balances of the token's holders sum to all that was ever transferred", async () => {
	const { token } = economy.addresses;
	const logs = await chain.getContractEvents({
		...{ address: token, abi: stockAbi, eventName: "Transfer", fromBlock: 0n },
	});
	const balances = new Map<string, bigint>();
	for (const { args } of logs) {
		const { from = "", to = "", value = 0n } = args;
		balances.set(from, (balances.get(from) ?? 0n) - value);
		balances.set(to, (balances.get(to) ?? 0n) + value);
	}
	for (const { address, raw } of firstHolders) {
		expect(balances.get(checksummed(address))).toBe(raw);
	}
	const held = [...balances.values()].filter((raw) => raw > 0n);
	expect(held.reduce((all, raw) => all + raw)).toBe(SUPPLY);
});

test("revenue in coins and dollars is recorded under its source, and earned by the keeper", async () => {
	const { router } = economy.addresses;
	await economy.payCoins("marketplace", 10_000n);
	await economy.payDollars("trading", 5_000n);
	const logs = await chain.getContractEvents({
		...{ address: router, abi: revenueRouterAbi, eventName: "RevenueReceived", fromBlock: 0n },
	});
	const told = logs.map(({ args }) => [textOf(args.source ?? ""), args.amount]);
	expect(told).toEqual([
		["marketplace", 10_000n],
		["trading", 5_000n],
	]);
	for (const [currency, due] of [
		["0x0000000000000000000000000000000000000000", 2_000n],
		[stockAddresses.usdg, 1_000n],
	] as const) {
		const owed = { abi: revenueRouterAbi, functionName: "owed", args: [2, currency] } as const;
		expect(await chain.readContract({ address: router, ...owed })).toBe(due);
	}
});

test("opening the economy twice on one chain finds its contracts, and deploys nothing", async () => {
	const before = await anvil.rpc("eth_blockNumber");
	const again = await openEconomy(anvil.url, { keeper, ethUsd: USD.eth });
	expect(again.isNew).toBe(false);
	expect(await anvil.rpc("eth_blockNumber")).toBe(before);
});

function checksummed(address: string): Address {
	return getAddress(address);
}

function textOf(source: string): string {
	return Buffer.from(source.slice(2), "hex").toString().replaceAll("\0", "");
}
