import { keccak256, serializeTransaction } from "viem";
import { z } from "zod";
import { chainNumbers } from "#core/chain/chainNumbers.ts";
import type { Hex } from "#core/chain/Hex.ts";
import { hexData } from "#core/chain/reads/hexData.ts";

const signature = { r: hexData, s: hexData };
const { chainId, gas, gasPrice, nonce, quantity, wei } = chainNumbers;
const common = { nonce, to: hexData, value: wei, input: hexData, gas };
const feeMarket = z.object({
	...common,
	...signature,
	type: z.literal("0x2"),
	chainId,
	maxFeePerGas: gasPrice,
	maxPriorityFeePerGas: gasPrice,
	accessList: z.array(z.unknown()).max(0).optional(),
	yParity: quantity.refine((value) => value <= 1n),
});

/**
 * The bytes of a transaction as they were signed, put together from what a node tells of it. Null
 * where these do not have its hash: a kind that is not known here, or a node that tells it wrong.
 * We hand over fees of the 1559 kind, so nothing else is put together.
 */
export function readSigned(seen: unknown, hash: Hex): Hex | null {
	const { data } = feeMarket.safeParse(seen);
	if (data === undefined) return null;
	const { input, yParity, r, s, value, to, ...others } = data;
	try {
		const signed = serializeTransaction(
			{
				type: "eip1559",
				chainId: others.chainId,
				nonce: others.nonce,
				gas: others.gas,
				maxFeePerGas: others.maxFeePerGas,
				maxPriorityFeePerGas: others.maxPriorityFeePerGas,
				...{ to, value, data: input },
			},
			{ r, s, yParity: Number(yParity) },
		);
		return keccak256(signed) === hash ? signed : null;
	} catch {
		// No fees, no address: what cannot be written was not signed so.
		return null;
	}
}
