import { decodeFunctionResult, encodeFunctionData } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import { PROBE_CODE, probeAbi } from "#plugins/trading/swap/abi/swapProbe.ts";
import type { EncodedSwap } from "#plugins/trading/swap/encodeSwap.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

export type SwapBalances = { spentRaw: bigint; receivedRaw: bigint };

/**
 * Returns the call that simulates a swap from its wallet and reports how both balances change. The
 * node places our code at the wallet's address for this call; nothing is signed or mined. The
 * router checks what a pool pays; this checks what arrives, which a transfer fee reduces.
 */
export function simulationCall(swap: {
	wallet: Address;
	router: Address;
	sell: Address;
	buy: Address;
	encoded: EncodedSwap;
	/** The allowance that is given first, as the step before the swap will; 0: none. */
	allowedRaw: bigint;
}): RpcCall {
	const { wallet, router, sell, buy, encoded, allowedRaw } = swap;
	const args = [sell, buy, router, allowedRaw, encoded.valueRaw, encoded.data] as const;
	const data = encodeFunctionData({ abi: probeAbi, functionName: "play", args });
	const override = { [wallet]: { code: PROBE_CODE } };
	return { method: "eth_call", params: [{ from: wallet, to: wallet, data }, "latest", override] };
}

/** Returns the balances' changes from the node's answer; null where it is invalid. */
export function readSimulation(answer: unknown): SwapBalances | null {
	if (!isWords(answer)) return null;
	const [spentRaw, receivedRaw] = decodeFunctionResult({
		...{ abi: probeAbi, functionName: "play" as const },
		data: answer,
	});
	return { spentRaw, receivedRaw };
}

/** Returns why a swap that succeeds is still not sent; null: it may be. */
export function simulationDenial(
	{ spentRaw, receivedRaw }: SwapBalances,
	bounds: { mostRaw: bigint; leastRaw: bigint },
): Denial | null {
	if (spentRaw > bounds.mostRaw) {
		return { code: "token_unsafe", detail: "More would leave the wallet than the trade spends." };
	}
	if (receivedRaw < bounds.leastRaw) {
		const detail =
			"Less would arrive in the wallet than the pool pays: the token keeps a part of it.";
		return { code: "token_unsafe", detail };
	}
	return null;
}

const isWords = (answer: unknown): answer is Hex =>
	typeof answer === "string" && /^0x[0-9a-f]{128}$/i.test(answer);
