import { decodeFunctionResult, encodeFunctionData } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import { PROBE_CODE, probeAbi } from "#plugins/trading/swap/abi/swapProbe.ts";
import type { EncodedSwap } from "#plugins/trading/swap/encodeSwap.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

export type SwapBalances = { spentRaw: bigint; receivedRaw: bigint };

/**
 * The call that plays a swap as its wallet would make it, and says how both balances change: code
 * of ours stands at the wallet's address while the node plays it; nothing is signed or mined. The
 * router checks what a pool pays; this checks what arrives, which a token with a fee makes less.
 */
export function simulationCall(swap: {
	wallet: Address;
	router: Address;
	sell: Address;
	buy: Address;
	encoded: EncodedSwap;
	/** What the router is allowed to take first, as the step before the swap will; 0: nothing. */
	allowedRaw: bigint;
}): RpcCall {
	const { wallet, router, sell, buy, encoded, allowedRaw } = swap;
	const args = [sell, buy, router, allowedRaw, encoded.valueRaw, encoded.data] as const;
	const data = encodeFunctionData({ abi: probeAbi, functionName: "play", args });
	const override = { [wallet]: { code: PROBE_CODE } };
	return { method: "eth_call", params: [{ from: wallet, to: wallet, data }, "latest", override] };
}

/** What the node answered: the balances' changes; null where it could not say. */
export function readSimulation(answer: unknown): SwapBalances | null {
	if (!isWords(answer)) return null;
	const [spentRaw, receivedRaw] = decodeFunctionResult({
		...{ abi: probeAbi, functionName: "play" as const },
		data: answer,
	});
	return { spentRaw, receivedRaw };
}

/** Why a swap that runs is not sent all the same; null: it may be. */
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
