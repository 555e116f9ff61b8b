// Verifies by a receipt what a purchase spent and burned.

import { decodeEventLog, decodeFunctionData, decodeFunctionResult, encodeFunctionData } from "viem";
import { type Address, type Hex, hexQuantity, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { BuybackDeps } from "#plugins/tokenomics/buyback/buybackConfig.ts";
import {
	buybackBurnerAbi,
	decoded,
	erc20Abi,
	viewCall,
} from "#plugins/tokenomics/contracts/abi.ts";
import type { Receipt, Settlement } from "#plugins/wallets/contract.ts";

/** Holds what a transaction paid and burned, by the burner's own event. */
type Burn = { paidWith: Address; spentRaw: bigint; burnedRaw: bigint };

type Bought = {
	burner: Address;
	keeper: Address;
	paidWith: Address;
	/** The plan's own calldata. */
	data: Hex;
};

const NOT_BURNED = {
	code: "not_burned",
	detail: "The burner says nothing of a purchase by this run.",
} as const;
export const SUPPLY_STANDS = {
	code: "supply_stands",
	detail: "The token's supply did not fall by what was burned.",
} as const;
const TOO_LITTLE = { code: "burned_too_little", detail: "Less was burned than the run's least." };
const MISREPORTED = {
	code: "spend_misreported",
	detail: "The burner says another amount than the currency moved.",
};

/** `Transfer(address,address,uint256)`, as ERC-20 has it. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const WORD = 66;

/**
 * Says what a purchase came to, by the receipt's own events: the burner's, which it sends only
 * where the supply fell by what it burned, and for a token what left the keeper. Nothing is
 * believed that is beyond the plan.
 */
export function settleBuyback(
	{ logs }: Pick<Receipt, "logs">,
	bought: Bought,
): { settlement: Settlement; burn: Burn | null } {
	const call = readPurchase(bought.data);
	const burns = logs.flatMap((log) => burnOf(log, bought) ?? []);
	const [burn] = burns;
	if (!call || !burn || burns.length > 1 || burn.paidWith !== bought.paidWith) {
		return { settlement: NOT_BURNED, burn: null };
	}
	const { spentRaw, burnedRaw } = burn;
	if (burnedRaw < call.minBurnedRaw) return { settlement: { ...TOO_LITTLE, spentRaw }, burn };
	const movedRaw = bought.paidWith === ZERO_ADDRESS ? spentRaw : leftOf(logs, bought);
	if (spentRaw > call.spendRaw || movedRaw !== spentRaw) {
		return { settlement: { ...MISREPORTED, spentRaw: call.spendRaw }, burn };
	}
	return { settlement: { spentRaw }, burn };
}

/**
 * Returns whether the token's supply fell by what was burned, by the state before the receipt's
 * block and in it. Null where the node does not keep such old states any more.
 */
export async function supplyFell(
	{ rpc }: Pick<BuybackDeps, "rpc">,
	asked: { token: Address; blockNumber: number; burnedRaw: bigint; signal: AbortSignal },
): Promise<boolean | null> {
	const { token, blockNumber, burnedRaw, signal } = asked;
	const data = encodeFunctionData({ abi: erc20Abi, functionName: "totalSupply" });
	const blocks = [blockNumber - 1, blockNumber];
	const calls = blocks.map((block) => viewCall(token, data, hexQuantity(block)));
	const [before, after] = (await rpc.settle(calls, { signal })).map((outcome) =>
		decoded(outcome, (answer) =>
			decodeFunctionResult({ abi: erc20Abi, functionName: "totalSupply", data: answer }),
		),
	);
	if (before === null || before === undefined || after === null || after === undefined) return null;
	return before - after >= burnedRaw;
}

/** Reads what a call of the burner says; null for what is none. */
function readPurchase(
	data: Hex,
): { paidWith: Address; spendRaw: bigint; fee: number; minBurnedRaw: bigint } | null {
	try {
		const { functionName, args } = decodeFunctionData({ abi: buybackBurnerAbi, data });
		if (functionName !== "buyAndBurn") return null;
		const [paidWith, spendRaw, fee, minBurnedRaw] = args;
		return { paidWith: lower(paidWith), spendRaw, fee, minBurnedRaw };
	} catch {
		return null;
	}
}

function lower(address: string): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}

function burnOf(log: Receipt["logs"][number], { burner, keeper }: Bought): Burn | null {
	if (log.address !== burner) return null;
	try {
		const { args } = decodeEventLog({
			...{ abi: buybackBurnerAbi, eventName: "BoughtAndBurned" as const, data: log.data },
			topics: log.topics as [Hex, ...Hex[]],
		});
		if (lower(args.keeper) !== keeper) return null;
		return { paidWith: lower(args.paidWith), spentRaw: args.spent, burnedRaw: args.burned };
	} catch {
		return null;
	}
}

/** Adds up what left the keeper of the currency, less what came back. */
function leftOf(logs: Receipt["logs"], { keeper, paidWith }: Bought): bigint {
	return logs.reduce((sum, { address, topics, data }) => {
		const [topic, from, to] = topics;
		const isMove = topic === TRANSFER && topics.length === 3 && data.length === WORD;
		if (address !== paidWith || !isMove || from === undefined || to === undefined) return sum;
		const raw = BigInt(data);
		return sum + (isOf(from, keeper) ? raw : 0n) - (isOf(to, keeper) ? raw : 0n);
	}, 0n);
}

function isOf(topic: Hex, account: Address): boolean {
	return topic.length === WORD && BigInt(topic) === BigInt(account);
}
