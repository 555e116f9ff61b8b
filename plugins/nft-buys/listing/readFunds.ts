import { decodeFunctionResult, encodeFunctionData } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { coinAbi } from "#plugins/nft-buys/abi/coinAbi.ts";
import { buyFault } from "#plugins/nft-buys/faults.ts";
import { readBytes } from "#plugins/nft-buys/listing/readBytes.ts";

export type Funds = { balanceRaw: bigint; allowanceRaw: bigint; decimals: number };

/** Reads a wallet's balance of an ERC-20, and a spender's allowance, in base units. */
export async function readFunds(
	rpc: Rpc,
	asked: { currency: Address; wallet: Address; spender: Address; signal: AbortSignal },
): Promise<Funds> {
	const { currency: to, wallet, spender, signal } = asked;
	const abi = coinAbi;
	const balance = { abi, functionName: "balanceOf", args: [wallet] } as const;
	const allowance = { abi, functionName: "allowance", args: [wallet, spender] } as const;
	const decimals = { abi, functionName: "decimals" } as const;
	const answers = await rpc.batch(
		[balance, allowance, decimals].map((call) => {
			return { method: "eth_call", params: [{ to, data: encodeFunctionData(call) }, "latest"] };
		}),
		{ signal },
	);
	const [first = "0x", second = "0x", third = "0x"] = answers.map(readBytes);
	try {
		return {
			balanceRaw: decodeFunctionResult({ ...balance, data: first }),
			allowanceRaw: decodeFunctionResult({ ...allowance, data: second }),
			decimals: decodeFunctionResult({ ...decimals, data: third }),
		};
	} catch (cause) {
		throw buyFault.currencyUnreadable({ cause });
	}
}
