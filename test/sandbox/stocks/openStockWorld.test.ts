import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	type Address,
	createPublicClient,
	createWalletClient,
	encodeFunctionData,
	encodePacked,
	type Hex,
	http,
	parseUnits,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { robinhood } from "viem/chains";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { cataloguePrices } from "./describeStockWorld.ts";
import { openStockWorld, type StockWorld } from "./openStockWorld.ts";
import { stockAbi, stockFeedAbi, uniswapAbi } from "./stockCatalogue.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const buyer = mnemonicToAccount(MNEMONIC, { addressIndex: 1 });
/**
 * Enough in any second: an estimate within the second of a pool's last observation lacks the gas of
 * the next one, and the swap then reverts in the second after.
 */
const SWAP_GAS = 2_000_000n;
let anvil: Anvil;
let world: StockWorld;
let wallet: ReturnType<typeof openWallet>;
let chain: ReturnType<typeof openChain>;

const openChain = () => createPublicClient({ chain: robinhood, transport: http(anvil.url) });
const openWallet = () =>
	createWalletClient({ account: buyer, chain: robinhood, transport: http(anvil.url) });

beforeAll(async () => {
	anvil = await startAnvil({ args: ["--chain-id", "4663"] });
	world = await openStockWorld(anvil.url);
	chain = openChain();
	wallet = openWallet();
});
afterAll(() => anvil?.stop());

const balanceOf = (token: Address) =>
	chain.readContract({
		address: token,
		abi: stockAbi,
		functionName: "balanceOf",
		args: [buyer.address],
	});

function pathOf(...steps: (Address | number)[]): Hex {
	const types = steps.map((step) => (typeof step === "number" ? "uint24" : "address"));
	return encodePacked(types, steps);
}

async function quote(path: Hex, amountIn: bigint): Promise<bigint> {
	const { result } = await chain.simulateContract({
		address: world.addresses.quoter,
		abi: uniswapAbi,
		functionName: "quoteExactInput",
		args: [path, amountIn],
	});
	return result[0];
}

async function mined(hash: Hex) {
	return await chain.waitForTransactionReceipt({ hash, pollingInterval: 20 });
}

async function approve(token: Address, amount: bigint): Promise<void> {
	const args = [world.addresses.router, amount] as const;
	const call = { address: token, abi: stockAbi, functionName: "approve", args } as const;
	await mined(await wallet.writeContract(call));
}

async function swap(path: Hex, { tokenIn, amountIn }: { tokenIn: Address; amountIn: bigint }) {
	await world.give(tokenIn, buyer.address, amountIn);
	await approve(tokenIn, amountIn);
	const params = { path, recipient: buyer.address, amountIn, amountOutMinimum: 0n };
	const address = world.addresses.router;
	const call = { address, abi: uniswapAbi, functionName: "exactInput", args: [params] } as const;
	const receipt = await mined(await wallet.writeContract({ ...call, gas: SWAP_GAS }));
	if (receipt.status !== "success") throw new Error("the swap reverted");
	return receipt;
}

const roundOf = (feed: Address | null | undefined) =>
	chain.readContract({
		...{ address: feed ?? "0x", abi: stockFeedAbi, functionName: "latestRoundData" },
	});
const answerOf = async (feed: Address | null | undefined) => (await roundOf(feed))[1];

test("a swap of one and of two hops through SwapRouter02 gives QuoterV2's amount, to the base unit", async () => {
	const { usdg, weth } = world.addresses;
	const [tsla, coin] = [world.stock("TSLA"), world.stock("COIN")];
	const ways = [
		{ path: pathOf(usdg, 3_000, tsla.address), out: tsla.address },
		{ path: pathOf(usdg, 500, weth, 3_000, coin.address), out: coin.address },
	];
	for (const { path, out } of ways) {
		const amountIn = parseUnits("2500", 6);
		const expected = await quote(path, amountIn);
		const before = await balanceOf(out);
		const { status } = await swap(path, { tokenIn: usdg, amountIn });
		expect(status).toBe("success");
		expect((await balanceOf(out)) - before).toBe(expected);
	}
});

test("an exact output costs QuoterV2's amount, and gives the exact amount", async () => {
	const { usdg, router, quoter } = world.addresses;
	const aapl = world.stock("AAPL").address;
	const [path, amountOut] = [pathOf(aapl, 500, usdg), parseUnits("7", 18)];
	const { result } = await chain.simulateContract({
		...{ address: quoter, abi: uniswapAbi, functionName: "quoteExactOutput" },
		args: [path, amountOut],
	});
	const [most, before] = [parseUnits("5000", 6), await balanceOf(aapl)];
	await world.give(usdg, buyer.address, most);
	await approve(usdg, most);
	const had = await balanceOf(usdg);
	const params = { path, recipient: buyer.address, amountOut, amountInMaximum: most };
	const hash = await wallet.writeContract({
		...{ address: router, abi: uniswapAbi, functionName: "exactOutput", args: [params] },
		gas: SWAP_GAS,
	});
	await mined(hash);
	expect((await balanceOf(aapl)) - before).toBe(amountOut);
	expect(had - (await balanceOf(usdg))).toBe(result[0]);
});

test("every pool is at its address in the catalogue, holds liquidity, and agrees with the feeds", async () => {
	const prices = cataloguePrices();
	for (const pool of world.pools) {
		const { address } = pool;
		const at = { address, abi: uniswapAbi } as const;
		const { factory } = world.addresses;
		const args = [pool.token1, pool.token0, pool.fee] as const;
		const getPool = { address: factory, abi: uniswapAbi, functionName: "getPool", args } as const;
		expect(await chain.readContract(getPool)).toBe(address);
		expect(await chain.readContract({ ...at, functionName: "liquidity" })).toBeGreaterThan(0n);
	}
	for (const [name, feed] of Object.entries(world.feeds)) {
		expect(await answerOf(feed)).toBe(BigInt(Math.round((prices[name] ?? 0) * 1e8)));
	}
	const { usdg, weth } = world.addresses;
	const one = parseUnits("1", 6);
	for (const { ticker, address, pools } of world.stocks) {
		const [pool] = pools;
		if (!pool) throw new Error(`${ticker} has no pool`);
		const isDirect = pool.token0 === usdg || pool.token1 === usdg;
		const between = isDirect ? [] : [500, weth];
		const got = await quote(pathOf(usdg, ...between, pool.fee, address), one);
		const fair = 1e18 / (prices[ticker] ?? 0);
		expect(Number(got) / fair).toBeWithin(0.98, 1);
	}
});

test("moving the market moves pools and feeds; a stopped feed does not move", async () => {
	const { usdg } = world.addresses;
	const msft = world.stock("MSFT");
	const buy = () => quote(pathOf(usdg, 3_000, msft.address), parseUnits("10", 6));
	const before = await buy();
	await world.moveMarket({ MSFT: 980 });
	expect(await answerOf(msft.feed)).toBe(98_000_000_000n);
	expect(Number(await buy()) / Number(before)).toBeCloseTo((490 * 1.0061) / 980, 3);
	await world.moveMarket({ MSFT: 490 }, { feeds: false });
	expect(await answerOf(msft.feed)).toBe(98_000_000_000n);
	expect(Number(await buy()) / Number(before)).toBeCloseTo(1.0061, 3);
});

test("a pool can be emptied and filled again", async () => {
	const amzn = world.stock("AMZN");
	const [pool] = amzn.pools;
	if (!pool) throw new Error("no pool");
	const path = pathOf(world.addresses.usdg, 3_000, amzn.address);
	const before = await quote(path, 10n ** 9n);
	await world.drain(pool);
	await expect(quote(path, 10n ** 9n)).rejects.toThrow();
	await world.drain(pool, 1);
	expect(Number(await quote(path, 10n ** 9n))).toBeLessThan(Number(before) * 0.9);
	await world.drain(pool, 10_000);
	// One base unit is lost when liquidity is removed.
	expect(Number(await quote(path, 10n ** 9n)) / Number(before)).toBeCloseTo(1, 6);
});

test("on request feeds stop, turn negative, return 2^255 or revert", async () => {
	const feed = world.feeds["NVDA"];
	await world.setFeed("NVDA", 17_000_000_000n, 1_700_000_000);
	expect(await roundOf(feed)).toMatchObject({ 1: 17_000_000_000n, 3: 1_700_000_000n });
	await world.setFeed("NVDA", -1n);
	expect(await answerOf(feed)).toBe(-1n);
	await world.setFeed("NVDA", -(2n ** 255n));
	const { data } = await chain.call({
		to: feed ?? "0x",
		data: encodeFunctionData({ abi: stockFeedAbi, functionName: "latestRoundData" }),
	});
	expect(data?.slice(66, 130)).toBe(`8${"0".repeat(63)}`);
	await world.setFeedDead("NVDA", true);
	await expect(answerOf(feed)).rejects.toThrow();
	await world.setFeedDead("NVDA", false);
});

test("a multiplier changes at its time without a transaction, and never changes raw balances", async () => {
	const gme = world.stock("GME").address;
	const read = <Name extends "uiMultiplier" | "newUIMultiplier" | "effectiveAt">(name: Name) =>
		chain.readContract({ address: gme, abi: stockAbi, functionName: name });
	const shown = () =>
		chain.readContract({
			...{ address: gme, abi: stockAbi, functionName: "getUserUIBalance", args: [buyer.address] },
		});
	await world.give(gme, buyer.address, 10n ** 18n);
	expect(await read("uiMultiplier")).toBe(5n * 10n ** 17n);
	const { timestamp } = await chain.getBlock();
	await world.setMultiplier(gme, 2n * 10n ** 18n, Number(timestamp) + 1_000);
	expect(await read("uiMultiplier")).toBe(5n * 10n ** 17n);
	expect([await read("newUIMultiplier"), await read("effectiveAt")]).toEqual([
		2n * 10n ** 18n,
		timestamp + 1_000n,
	]);
	expect(await shown()).toBe(5n * 10n ** 17n);
	await anvil.rpc("evm_increaseTime", [2_000]);
	await anvil.rpc("evm_mine");
	expect(await read("uiMultiplier")).toBe(2n * 10n ** 18n);
	expect(await shown()).toBe(2n * 10n ** 18n);
	expect(await balanceOf(gme)).toBe(10n ** 18n);
});

test("each bad token is bad: taxed, paused, blocking, rebased, of other decimals, with another's name", async () => {
	const { taxed, paused, blocking, rebasing, decimals, namesake } = world.bad;
	const { usdg } = world.addresses;
	const buy = (token: Address) => {
		return swap(pathOf(usdg, 3_000, token), { tokenIn: usdg, amountIn: 50_000_000n });
	};
	const expected = await quote(pathOf(usdg, 3_000, taxed.address), 50_000_000n);
	await buy(taxed.address);
	expect(await balanceOf(taxed.address)).toBe(expected - (expected * 300n) / 10_000n);
	for (const { address } of [paused, blocking]) await expect(buy(address)).rejects.toThrow();
	const [pool] = rebasing.pools;
	const held = await chain.readContract({
		...{ address: rebasing.address, abi: stockAbi, functionName: "balanceOf" },
		args: [pool?.address ?? "0x"],
	});
	const supply = { address: rebasing.address, abi: stockAbi, functionName: "totalSupply" } as const;
	expect(held).toBe(await chain.readContract(supply));
	await world.rebase(rebasing.address, 10n ** 18n);
	expect(Number(held) / Number(await chain.readContract(supply))).toBeCloseTo(1.1, 9);
	const told = { address: decimals.address, abi: stockAbi, functionName: "decimals" } as const;
	expect(await chain.readContract(told)).toBe(6);
	const symbol = { address: namesake.address, abi: stockAbi, functionName: "symbol" } as const;
	expect(await chain.readContract(symbol)).toBe("AAPL");
});

test("opening the stock world twice on one chain finds its contracts, and deploys nothing", async () => {
	const before = await anvil.rpc("eth_blockNumber");
	const again = await openStockWorld(anvil.url);
	expect(await anvil.rpc("eth_blockNumber")).toBe(before);
	expect(again.stock("TSLA").address).toBe(world.stock("TSLA").address);
	await again.setPaused(again.stock("TSLA").address, true);
	await expect(
		swap(pathOf(again.addresses.usdg, 3_000, again.stock("TSLA").address), {
			tokenIn: again.addresses.usdg,
			amountIn: 1_000_000n,
		}),
	).rejects.toThrow();
});
