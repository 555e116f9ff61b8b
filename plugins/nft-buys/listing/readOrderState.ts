import { decodeFunctionResult, encodeFunctionData } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { seaportAbi } from "#plugins/nft-buys/abi/seaportAbi.ts";
import type { OrderState } from "#plugins/nft-buys/check/OrderState.ts";
import { buyFault } from "#plugins/nft-buys/faults.ts";
import { readBytes } from "#plugins/nft-buys/listing/readBytes.ts";

/**
 * Reads the state of an order and its seller from the marketplace. An address without code answers
 * empty data, so a chain without the marketplace is noticed here, before any payment.
 */
export async function readOrderState(
	rpc: Rpc,
	asked: { marketplace: Address; orderHash: Hex; offerer: Address; signal: AbortSignal },
): Promise<OrderState> {
	const { marketplace: to, orderHash, offerer, signal } = asked;
	const abi = seaportAbi;
	const status = { abi, functionName: "getOrderStatus", args: [orderHash] } as const;
	const counter = { abi, functionName: "getCounter", args: [offerer] } as const;
	const answers = await rpc.batch(
		[status, counter].map((call) => {
			const data = encodeFunctionData(call);
			return { method: "eth_call", params: [{ to, data }, "latest"] };
		}),
		{ signal },
	);
	const [statusBytes, counterBytes] = answers.map(readBytes);
	try {
		const read = decodeFunctionResult({ ...status, data: statusBytes ?? "0x" });
		const [, isCancelled, totalFilled, totalSize] = read;
		return {
			isCancelled,
			totalFilled,
			totalSize,
			counter: decodeFunctionResult({ ...counter, data: counterBytes ?? "0x" }),
		};
	} catch (cause) {
		throw buyFault.marketplaceAbsent({ cause });
	}
}
