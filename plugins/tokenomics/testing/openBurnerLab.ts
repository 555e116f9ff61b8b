// Opens Uniswap V3 pools and a burner on a local chain, for tests.

import { type Address, encodeFunctionData, type Hex, parseEventLogs, toHex } from "viem";
import { TREASURER } from "#test/sandbox/economy/describeEconomy.ts";
import { openEconomy } from "#test/sandbox/economy/openEconomy.ts";
import { poolOf } from "#test/sandbox/stocks/describeStockWorld.ts";
import { openStockWorld } from "#test/sandbox/stocks/openStockWorld.ts";
import {
	type Fee,
	makerAbi,
	spansOf,
	sqrtPriceX96,
	TICK_SPACING,
	uniswapAbi,
} from "#test/sandbox/stocks/stockCatalogue.ts";
import { buybackBurnerAbi } from "../contracts/abi.ts";
import { type Call, type Mined, openContractLab } from "./openContractLab.ts";
import { NATIVE } from "./openRouterLab.ts";

export type BurnerLab = Awaited<ReturnType<typeof openBurnerLab>>;
export type Buy = {
	paidWith?: Address;
	spend: bigint;
	fee?: number;
	minBurned?: bigint;
	deadline?: bigint;
	value?: bigint;
};

const LATER = 2n ** 40n;
const ETH_USD = 2_500;

type PoolPlan = { fee?: Fee; depthUsd?: number; isShallow?: boolean };

/** Opens Uniswap V3 with the token's pools and a burner, whose keeper is an account of the node. */
export async function openBurnerLab() {
	const lab = await openContractLab();
	const { anvil } = lab;
	const [owner, keeper] = lab.accounts;
	if (!owner || !keeper) throw new Error("no accounts");
	const world = await openStockWorld(anvil.url);
	const economy = await openEconomy(anvil.url, { keeper, ethUsd: ETH_USD });
	const { maker, burner, token } = economy.addresses;
	const { weth, quoter } = world.addresses;

	const ofMaker = (data: Hex) => lab.send(TREASURER, { to: maker, data });
	const buying = (buy: Buy, at = burner): Call => {
		const { paidWith = NATIVE, spend, fee = 3_000, minBurned = 1n, deadline = LATER } = buy;
		const value = buy.value ?? (paidWith === NATIVE ? spend : 0n);
		const args = [paidWith, spend, fee, minBurned, deadline];
		return { to: at, of: "BuybackBurner", name: "buyAndBurn", args, value };
	};
	const ofToken = (to: Address, name: string, args: readonly unknown[] = []): Call => {
		return { to, of: "TapelineToken", name, args };
	};
	return {
		...{ lab, owner, keeper, world, economy, burner, token, weth, maker, ofToken, buying },
		balanceOf: (of: Address, account: Address) =>
			of === NATIVE
				? anvil.rpc<Hex>("eth_getBalance", [account, "latest"]).then(BigInt)
				: lab.read<bigint>(ofToken(of, "balanceOf", [account])),
		supplyOf: (of: Address) => lab.read<bigint>(ofToken(of, "totalSupply")),
		async quote({ paidWith = weth, spend, fee = 3_000 }: Buy, bought = token): Promise<bigint> {
			const quoted = { tokenIn: paidWith, tokenOut: bought, amountIn: spend, fee };
			const args = [{ ...quoted, sqrtPriceLimitX96: 0n }] as const;
			const call = { abi: uniswapAbi, functionName: "quoteExactInputSingle", args } as const;
			const asked = [{ to: quoter, data: encodeFunctionData(call) }, "latest"];
			const answer = await anvil.rpc<Hex>("eth_call", asked);
			return BigInt(answer.slice(0, 66));
		},
		/**
		 * Opens a pool in which a token is worth what TAPE is. A shallow one holds nothing beyond a
		 * fifth of its price.
		 */
		async openPool(
			[tokenA, tokenB]: readonly [Address, Address],
			{ fee = 3_000, depthUsd = 100_000, isShallow = false }: PoolPlan = {},
		) {
			const pool = poolOf(tokenA, tokenB, fee);
			const worth = (of: Address) => {
				return { decimals: 18, usd: of === weth ? BigInt(ETH_USD) * 10n ** 8n : 5_000_000n };
			};
			const token1 = worth(pool.token1);
			const sqrtX96 = sqrtPriceX96(worth(pool.token0), token1);
			const [wide, narrow] = spansOf({ token1, sqrtX96, spacing: TICK_SPACING[fee] }, depthUsd);
			const spans = [...(isShallow ? [] : [wide]), narrow].flatMap((span) => span ?? []);
			const opening = {
				tokenA: pool.token0,
				tokenB: pool.token1,
				fee,
				sqrtPriceX96: sqrtX96,
				spans,
			};
			const call = { functionName: "open", args: [[opening]] } as const;
			const { isDone } = await ofMaker(encodeFunctionData({ abi: makerAbi, ...call }));
			if (!isDone) throw new Error("a pool was not opened");
			return pool;
		},
		/** Deploys a misbehaving token that the maker has much of. */
		async openOdd(): Promise<Address> {
			const odd = await lab.deploy(owner, "OddToken");
			for (const to of [maker, keeper]) {
				await lab.must(owner, { to: odd, of: "OddToken", name: "mint", args: [to, 10n ** 30n] });
			}
			return odd;
		},
		openBurner: (of: Address, by = keeper) =>
			lab.deploy(owner, "BuybackBurner", [owner, of, by, world.addresses.router]),
		approve: (of: Address, spender: Address, amount: bigint) =>
			lab.must(keeper, ofToken(of, "approve", [spender, amount])),
		bought({ logs }: Mined) {
			const events = parseEventLogs({
				...{ abi: buybackBurnerAbi, eventName: "BoughtAndBurned", logs: logs as never },
			});
			return events.map(({ args }) => args);
		},
		setBalance: (account: Address, wei: bigint) =>
			anvil.rpc("anvil_setBalance", [account, toHex(wei)]),
	};
}
