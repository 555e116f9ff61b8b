import { afterAll, beforeAll, expect, test } from "bun:test";
import { decodeFunctionResult, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { hooks, type V4Pool } from "./describeStockWorld.ts";
import { openStockWorld, type StockWorld } from "./openStockWorld.ts";
import { readMany } from "./router/renderQuote.ts";
import { v4Abi } from "./stockCatalogue.ts";

const LATEST = "latest" as Hex;
let anvil: Anvil;
let world: StockWorld;

beforeAll(async () => {
	anvil = await startAnvil({ args: ["--chain-id", "4663"] });
	world = await openStockWorld(anvil.url);
});
afterAll(() => anvil?.stop());

/** Quotes a hundred dollars with V4Quoter in each pool; undefined where it reverts. */
async function quotes(pools: readonly V4Pool[]): Promise<(bigint | undefined)[]> {
	const { usdg, v4Quoter } = world.addresses;
	const functionName = "quoteExactInputSingle";
	const calls = pools.map(({ key }) => {
		const zeroForOne = key.currency0 === usdg;
		const params = { poolKey: key, zeroForOne, exactAmount: 100_000_000n, hookData: "0x" } as const;
		const data = encodeFunctionData({ abi: v4Abi, functionName, args: [params] });
		return { to: v4Quoter, data };
	});
	const answers = await readMany(anvil.url, { calls, block: LATEST });
	return answers.map((data) =>
		data ? decodeFunctionResult({ abi: v4Abi, functionName, data })[0] : undefined,
	);
}

test("an honest V4 pool trades at its stock's price, and moves with it", async () => {
	const [apple] = world.v4.pools;
	for (const usd of [275, 300, 250]) {
		await world.moveMarket({ AAPL: usd });
		const [out] = apple ? await quotes([apple]) : [];
		expect(Number(out) / ((100 / usd) * 1e18)).toBeWithin(0.999, 1);
	}
});

test("nine hundred decoy pools exist, each once, with fees of 1 to 95 % and most with hooks", async () => {
	const { decoys } = world.v4;
	expect(new Set(decoys.map(({ id }) => id)).size).toBe(900);
	const fees = decoys.map(({ key }) => key.fee);
	expect([Math.min(...fees), Math.max(...fees)]).toEqual([10_000, 950_000]);
	const hooked = decoys.filter(({ key }) => key.hooks !== zeroAddress);
	expect(hooked.length).toBe(720);
	const calls = decoys.map(({ id }) => ({
		to: world.addresses.v4StateView,
		data: encodeFunctionData({ abi: v4Abi, functionName: "getSlot0", args: [id] }),
	}));
	const slots = await readMany(anvil.url, { calls, block: LATEST });
	const isOpen = (slot: Hex | undefined) => slot !== undefined && BigInt(slot.slice(0, 66)) > 0n;
	expect(slots.filter(isOpen)).toHaveLength(900);
});

test("a trade in a decoy pool loses: the pool is empty, or keeps at least a third of the output", async () => {
	const { decoys } = world.v4;
	const told = await quotes(decoys);
	expect(told.filter((out) => out !== undefined && out > 0n).length).toBeGreaterThan(50);
	// The first decoy with liquidity and a hook that is at the true price.
	const [pool, out] = [decoys[28], told[28]];
	const hook = hooks.find(({ address }) => address === pool?.key.hooks);
	const stock = world.stocks.find(({ address }) => {
		return address === pool?.key.currency0 || address === pool?.key.currency1;
	});
	if (!pool || !hook || !stock) throw new Error("no such decoy");
	const fair = 100e18 / (stock.shareUsd * (Number(stock.multiplier) / 1e18));
	const share = (1 - pool.key.fee / 1e6) * (1 - hook.bps / 1e4);
	expect(Number(out) / fair).toBeWithin(0.1, share);
});
