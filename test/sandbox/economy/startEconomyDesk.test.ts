import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createPublicClient, createWalletClient, encodeFunctionData, type Hex, http } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { robinhood } from "viem/chains";
import { buybackBurnerAbi } from "#plugins/tokenomics/contracts/abi.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { until } from "#test/harness/until.ts";
import { openStockWorld } from "../stocks/openStockWorld.ts";
import { stockAbi, stockAddresses, uniswapAbi } from "../stocks/stockCatalogue.ts";
import { oracleAbi } from "./describeEconomy.ts";
import { type Economy, openEconomy } from "./openEconomy.ts";
import { type EconomyDesk, startEconomyDesk } from "./startEconomyDesk.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const keeper = mnemonicToAccount(MNEMONIC, { addressIndex: 1 });
const NATIVE = "0x0000000000000000000000000000000000000000";
const SPEND = 10n ** 18n;
const LATER = 2n ** 40n;
const FEE = 3_000;
let anvil: Anvil;
let economy: Economy;
let desk: EconomyDesk;
let chain: ReturnType<typeof openChain>;
let wallet: ReturnType<typeof openWallet>;

const openChain = () => createPublicClient({ chain: robinhood, transport: http(anvil.url) });
const openWallet = () =>
	createWalletClient({ account: keeper, chain: robinhood, transport: http(anvil.url) });

beforeAll(async () => {
	anvil = await startAnvil({ args: ["--chain-id", "4663"] });
	await openStockWorld(anvil.url);
	economy = await openEconomy(anvil.url, { keeper: keeper.address, ethUsd: 2_500 });
	desk = startEconomyDesk({ economy, rpcUrl: anvil.url });
	chain = openChain();
	wallet = openWallet();
});
afterAll(async () => {
	await desk?.stop();
	await anvil?.stop();
});
beforeEach(async () => {
	desk.clearFaults();
	await until(() => !desk.isSearching(), "nobody searches");
});

const supply = () =>
	chain.readContract({
		...{ address: economy.addresses.token, abi: stockAbi },
		functionName: "totalSupply",
	});

async function quote(): Promise<bigint> {
	const { token } = economy.addresses;
	const asked = { tokenIn: stockAddresses.weth, tokenOut: token, amountIn: SPEND, fee: FEE };
	const { result } = await chain.simulateContract({
		...{ address: stockAddresses.quoter, abi: uniswapAbi, functionName: "quoteExactInputSingle" },
		args: [{ ...asked, sqrtPriceLimitX96: 0n }],
	});
	return result[0];
}

async function buy(minBurned: bigint) {
	const args = [NATIVE, SPEND, FEE, minBurned, LATER] as const;
	const data = encodeFunctionData({ abi: buybackBurnerAbi, functionName: "buyAndBurn", args });
	const to = economy.addresses.burner;
	const hash = await wallet.sendTransaction({ to, data, value: SPEND, gas: 1_000_000n });
	return await chain.waitForTransactionReceipt({ hash, pollingInterval: 20 });
}

async function order(fault: object): Promise<void> {
	const said = await post("faults", fault);
	expect(said.status).toBe(200);
	await until(() => desk.isSearching(), "somebody searches");
}

const post = (to: "faults" | "world", body: object) =>
	fetch(`${desk.url}/_sandbox/${to}`, { method: "POST", body: JSON.stringify(body) });

const priceNow = async () => {
	const address = economy.pools[0]?.address ?? "0x";
	return (await chain.readContract({ address, abi: oracleAbi, functionName: "slot0" }))[0];
};

test("a sandwich attack surrounds the purchase in its block, and costs at most the slippage", async () => {
	const [fair, before, price] = [await quote(), await supply(), await priceNow()];
	await order({ kind: "sandwich", bps: 40, times: 1 });
	const minBurned = (fair * 9_900n) / 10_000n;
	const { status, blockNumber, transactionHash } = await buy(minBurned);
	expect(status).toBe("success");
	const burned = before - (await supply());
	expect(burned >= minBurned && burned < (fair * 9_970n) / 10_000n).toBe(true);
	const [{ front, victim, back } = {}] = desk.sandwiches().slice(-1);
	expect(victim).toBe(transactionHash);
	const { transactions } = await chain.getBlock({ blockNumber });
	expect(transactions).toEqual([front, victim, back] as Hex[]);
	expect(await priceNow()).toBe(price);
});

test("a buyback reverts when a sandwich attack pushes the price below its minimum", async () => {
	const [fair, before] = [await quote(), await supply()];
	await order({ kind: "sandwich", bps: 500 });
	const { status } = await buy((fair * 9_950n) / 10_000n);
	expect(status).toBe("reverted");
	expect(await supply()).toBe(before);
});

test("after the attack purchases are mined normally, at the market price", async () => {
	const [fair, before, count] = [await quote(), await supply(), desk.sandwiches().length];
	const { status } = await buy(fair);
	expect(status).toBe("success");
	expect(before - (await supply())).toBe(fair);
	expect(desk.sandwiches()).toHaveLength(count);
});

test("a developer can empty a pool, move the price, pay revenue and empty the keeper's account", async () => {
	const fair = await quote();
	expect((await post("world", { do: "price", tape: 0.06, eth: 2_500 })).status).toBe(200);
	expect(Number(await quote()) / Number(fair)).toBeCloseTo(0.05 / 0.06, 2);
	expect((await post("world", { do: "drain", fee: FEE })).status).toBe(200);
	await expect(quote()).rejects.toThrow();
	await post("world", { do: "drain", fee: FEE, keepBps: 10_000 });
	await post("world", { do: "price", tape: 0.05, eth: 2_500 });
	const { router } = economy.addresses;
	const had = await chain.getBalance({ address: router });
	expect((await post("world", { do: "pay", source: "club", wei: "777" })).status).toBe(200);
	expect((await chain.getBalance({ address: router })) - had).toBe(777n);
	expect((await post("world", { do: "explode" })).status).toBe(400);
	expect((await post("faults", { kind: "sandwich", bps: 0 })).status).toBe(400);
});
