// Reads what the keeper can spend, and whether its contracts are the right ones.

import { decodeFunctionResult, encodeFunctionData } from "viem";
import { readAbiText } from "#core/chain/abi.ts";
import { chainNumbers } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { readAnswer } from "#core/chain/reads/readBlocks.ts";
import type { RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { cleanLine } from "#core/outside.ts";
import {
	type BuybackContracts,
	type BuybackDeps,
	type Refusal,
	RUN_GAS,
	refusal,
} from "#plugins/tokenomics/buyback/buybackConfig.ts";
import {
	buybackBurnerAbi,
	decoded,
	erc20Abi,
	revenueRouterAbi,
	viewCall,
} from "#plugins/tokenomics/contracts/abi.ts";

/** Holds the keeper's amounts of one currency, in base units. */
export type Funds = {
	currency: Address;
	symbol: string;
	/** The sum of the burn's share of revenue, since the beginning. */
	earnedRaw: bigint;
	/** The part of that which the router still holds. */
	owedRaw: bigint;
	/** The keeper's balance. */
	balanceRaw: bigint;
	/**
	 * The amount that the burner may take from the keeper; null for the coin, which is sent along.
	 */
	allowanceRaw: bigint | null;
};

export type Keeper = {
	funds: readonly Funds[];
	/** The keeper's balance of the coin, which pays for gas. */
	coinRaw: bigint;
	/** The chain's own time, in seconds. */
	chainTimeS: bigint;
	/** The upper estimate of the coin that the steps of a run may take for gas. */
	gasReserveRaw: bigint;
};

/** The router's bucket that pays for burning. */
export const BURN_BUCKET = 2;

const SYMBOL_LENGTH_MAX = 16;

/** Questions about one currency. */
const CALLS = 5;

/**
 * Reads what can be spent, and whether the contracts are those that this keeper may use: the router
 * pays it the burn's share, and the burner burns the token and obeys only the keeper.
 */
export async function readKeeper(
	{ rpc, chain }: Pick<BuybackDeps, "rpc" | "chain">,
	asked: {
		contracts: BuybackContracts;
		keeper: Address;
		currencies: readonly Address[];
		signal: AbortSignal;
	},
): Promise<Keeper | Refusal> {
	const { contracts, keeper, currencies, signal } = asked;
	const { token, router, burner } = contracts;
	const ofRouter = { abi: revenueRouterAbi };
	const ofBurner = { abi: buybackBurnerAbi };
	const payee = { ...ofRouter, functionName: "payeeOf" as const, args: [BURN_BUCKET] as const };
	const outcomes = await rpc.settle(
		[
			viewCall(router, encodeFunctionData(payee)),
			viewCall(burner, encodeFunctionData({ ...ofBurner, functionName: "keeper" })),
			viewCall(burner, encodeFunctionData({ ...ofBurner, functionName: "token" })),
			{ method: "eth_getBalance", params: [keeper, "latest"] },
			{ method: "eth_gasPrice", params: [] },
			{ method: "eth_getBlockByNumber", params: ["latest", false] },
			...currencies.flatMap((currency) => callsOf(currency, { router, burner, keeper })),
		],
		{ signal },
	);
	const [paid, obeyed, burned, balance, gasPrice, block, ...others] = outcomes;
	const payeeOf = decoded(paid, (data) =>
		decodeFunctionResult({ ...ofRouter, functionName: "payeeOf", data }),
	);
	const keeperOf = decoded(obeyed, (data) =>
		decodeFunctionResult({ ...ofBurner, functionName: "keeper", data }),
	);
	const tokenOf = decoded(burned, (data) =>
		decodeFunctionResult({ ...ofBurner, functionName: "token", data }),
	);
	if (payeeOf === null || keeperOf === null || tokenOf === null) {
		return refusal("contracts_unreadable");
	}
	if (payeeOf.toLowerCase() !== keeper) return refusal("payee_differs");
	if (keeperOf.toLowerCase() !== keeper) return refusal("keeper_differs");
	if (tokenOf.toLowerCase() !== token) return refusal("token_differs");
	const balanceRaw = readAnswer(chainNumbers.wei, resultOf(balance));
	const price = readAnswer(chainNumbers.gasPrice, resultOf(gasPrice));
	const coin = { symbol: chain.nativeCurrency.symbol, balanceRaw };
	const funds = currencies.flatMap((currency, at) => {
		return fundsOf(currency, { coin, outcomes: others.slice(at * CALLS, (at + 1) * CALLS) }) ?? [];
	});
	return {
		funds,
		coinRaw: balanceRaw,
		chainTimeS: BigInt(readAnswer(chainNumbers.seconds, timeOf(resultOf(block)))),
		// As plans are costed: room for base fees that double.
		gasReserveRaw: RUN_GAS * price * 2n,
	};
}

function callsOf(
	currency: Address,
	{ router, burner, keeper }: { router: Address; burner: Address; keeper: Address },
) {
	const args = [BURN_BUCKET, currency] as const;
	const abi = revenueRouterAbi;
	return [
		viewCall(router, encodeFunctionData({ abi, functionName: "earned", args })),
		viewCall(router, encodeFunctionData({ abi, functionName: "owed", args })),
		...[
			encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [keeper] }),
			encodeFunctionData({ abi: erc20Abi, functionName: "allowance", args: [keeper, burner] }),
			encodeFunctionData({ abi: erc20Abi, functionName: "symbol" }),
		].map((data) => viewCall(currency, data)),
	];
}

function resultOf(outcome: RpcOutcome | undefined): unknown {
	if (outcome?.kind === "fault") throw outcome.fault;
	return outcome?.result;
}

/** Returns the amounts; null where a token does not answer: what cannot be counted is not spent. */
function fundsOf(
	currency: Address,
	read: {
		coin: { symbol: string; balanceRaw: bigint };
		outcomes: readonly RpcOutcome[];
	},
): Funds | null {
	const [earned, owed, balance, allowance, symbol] = read.outcomes;
	const abi = revenueRouterAbi;
	const earnedRaw = decoded(earned, (data) =>
		decodeFunctionResult({ abi, functionName: "earned", data }),
	);
	const owedRaw = decoded(owed, (data) =>
		decodeFunctionResult({ abi, functionName: "owed", data }),
	);
	if (earnedRaw === null || owedRaw === null) return null;
	if (currency === ZERO_ADDRESS) {
		return { currency, ...read.coin, earnedRaw, owedRaw, allowanceRaw: null };
	}
	const balanceRaw = decoded(balance, (data) =>
		decodeFunctionResult({ abi: erc20Abi, functionName: "balanceOf", data }),
	);
	const allowanceRaw = decoded(allowance, (data) =>
		decodeFunctionResult({ abi: erc20Abi, functionName: "allowance", data }),
	);
	if (balanceRaw === null || allowanceRaw === null) return null;
	const told = cleanLine(decoded(symbol, readAbiText), { lengthMax: SYMBOL_LENGTH_MAX });
	return { currency, symbol: told ?? "token", earnedRaw, owedRaw, balanceRaw, allowanceRaw };
}

function timeOf(block: unknown): unknown {
	return typeof block === "object" && block !== null && "timestamp" in block
		? block.timestamp
		: undefined;
}
