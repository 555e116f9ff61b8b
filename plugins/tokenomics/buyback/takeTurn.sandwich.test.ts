import { afterAll, beforeAll, expect, test } from "bun:test";
import { decodeAbiParameters, type Hex, toHex } from "viem";
import { type BurnChain, openBurnChain, type Swap } from "#test/harness/openBurnChain.ts";
import { type BuybackLab, openBuybackLab } from "#test/harness/openBuybackLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: whoever trades before and after a purchase in its own block takes at most the slippage
// bound from it; where it would be more, nothing is bought, and nothing is spent but gas.

const ETHER = 10n ** 18n;
const GWEI = 10n ** 9n;
const BPS = 10_000n;
const GAS = toHex(1_000_000);

let database: TestDatabase;
let chain: BurnChain;
let lab: BuybackLab;
beforeAll(async () => {
	[database, chain] = await Promise.all([createTestDatabase(), openBurnChain()]);
	const { weth, token } = chain.addresses;
	const opened = { in: 400n * ETHER, out: 10_000_000n * ETHER };
	await chain.openPool({ tokenIn: weth, token, fee: 3000, ...opened, observations: 400 });
	await chain.earn(50n * ETHER);
	await chain.pass(4_000);
	lab = openBuybackLab({ db: database.db, chain, env: { BUYBACK_DAY_USD_MAX: 100_000 } });
});
afterAll(async () => {
	await chain?.anvil.stop();
	await database?.drop();
});

type Placed = { transactionIndex: Hex; status: Hex };

/** Has the next purchase stand in one block between a swap for so much and its way back. */
function sandwich(raw: bigint): { hashes: Hex[]; placed(): Promise<Placed[]> } {
	const { anvil, addresses, who } = chain;
	const { weth, token, swapRouter, burner } = addresses;
	const hashes: Hex[] = [];
	const trade = (swap: Swap, maxFeePerGas: bigint) =>
		anvil.rpc<Hex>("eth_sendTransaction", [
			{
				...{ from: who.searcher, to: swapRouter, data: chain.swapData(swap), gas: GAS },
				// The node puts who offers more before who offers less.
				...{ maxFeePerGas: toHex(maxFeePerGas), maxPriorityFeePerGas: "0x1" },
			},
		]);
	let boughtRaw = 0n;
	lab.state.beforeSend = async () => {
		if (lab.sent.at(-1)?.to !== burner) return;
		const swap = { tokenIn: weth, tokenOut: token, fee: 3000, raw };
		const answer = await anvil.rpc<Hex>("eth_call", [
			{ from: who.searcher, to: swapRouter, data: chain.swapData(swap) },
			"latest",
		]);
		[boughtRaw] = decodeAbiParameters([{ type: "uint256" }], answer);
		await anvil.rpc("evm_setAutomine", [false]);
		hashes.push(await trade(swap, 500n * GWEI));
	};
	lab.state.afterSend = async () => {
		if (lab.sent.at(-1)?.to !== burner) return;
		const pending = await anvil.rpc<{ transactions: Hex[] }>("eth_getBlockByNumber", [
			"pending",
			false,
		]);
		const least = lab.sent.at(-1)?.maxFeePerGas ?? 0n;
		hashes.push(...pending.transactions.filter((hash) => !hashes.includes(hash)));
		hashes.push(
			await trade({ tokenIn: token, tokenOut: weth, fee: 3000, raw: boughtRaw }, least - 1n),
		);
		await anvil.rpc("anvil_mine", ["0x1"]);
		await anvil.rpc("evm_setAutomine", [true]);
	};
	return {
		hashes,
		placed: () =>
			Promise.all(hashes.map((hash) => anvil.rpc<Placed>("eth_getTransactionReceipt", [hash]))),
	};
}

test.each([ETHER / 10n, ETHER, 2n * ETHER, 3n * ETHER, 4n * ETHER, 8n * ETHER, 60n * ETHER])(
	"a sandwich of %p in the purchase's block costs at most the slippage bound",
	async (raw) => {
		await chain.pass(4_000);
		await lab.nextSlot();
		const [before, burns] = [
			await chain.balance(chain.addresses.weth, chain.who.searcher),
			(await chain.burns()).length,
		];
		const attack = sandwich(raw);
		expect(await lab.run()).toMatchObject({ kind: "began" });
		const placed = await attack.placed();
		// It was one: in one block, before and after.
		expect(placed.map(({ transactionIndex }) => Number(transactionIndex))).toEqual([0, 1, 2]);
		const bought = (await lab.intents()).findLast(({ kind }) => kind === "buyback");
		const [held] = (await lab.held()).slice(-1);
		const quoted = BigInt(bought?.plan.shown.quotedRaw);
		const least = (quoted * (BPS - lab.turnDeps.bounds.slippageBps)) / BPS;
		const made = (await chain.burns()).slice(burns);
		if (placed[1]?.status === "0x1") {
			expect(made).toHaveLength(1);
			expect(made[0]?.burned ?? 0n).toBeGreaterThanOrEqual(least);
			expect(held).toMatchObject({ status: "confirmed", raw: made[0]?.spent });
		} else {
			expect(made).toHaveLength(0);
			expect(held).toMatchObject({ status: "failed", raw: 0n });
			// Nobody earns by it: who tried paid the pool's fee twice.
			const left = await chain.balance(chain.addresses.weth, chain.who.searcher);
			expect(left < before).toBe(true);
		}
		// Both are seen: those that it bears, and those that it does not.
		expect(placed[1]?.status).toBe(raw < 8n * ETHER ? "0x1" : "0x0");
	},
);
