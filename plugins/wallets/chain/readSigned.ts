import { keccak256, serializeTransaction } from "viem";
import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import { hexData } from "#plugins/wallets/chain/hexData.ts";
import { quantity } from "#plugins/wallets/chain/quantity.ts";

const signature = { r: hexData, s: hexData };
const common = { nonce: quantity, to: hexData, value: quantity, input: hexData, gas: quantity };
const feeMarket = z.object({
	...common,
	...signature,
	type: z.literal("0x2"),
	chainId: quantity,
	maxFeePerGas: quantity,
	maxPriorityFeePerGas: quantity,
	accessList: z.array(z.unknown()).max(0).optional(),
	yParity: quantity,
});

/**
 * The bytes of a transaction as they were signed, put together from what a node tells of it. Null
 * where these do not have its hash: a kind that is not known here, or a node that tells it wrong.
 * We hand over fees of the 1559 kind, so nothing else is put together.
 */
export function readSigned(seen: unknown, hash: Hex): Hex | null {
	const { data } = feeMarket.safeParse(seen);
	if (data === undefined) return null;
	const { input, yParity, r, s, value, gas, nonce, to } = data;
	const { maxFeePerGas, maxPriorityFeePerGas } = data;
	try {
		const signed = serializeTransaction(
			{
				type: "eip1559",
				chainId: Number(data.chainId),
				nonce: Number(nonce),
				...{ to, value, data: input, gas, maxFeePerGas, maxPriorityFeePerGas },
			},
			{ r, s, yParity: Number(yParity) },
		);
		return keccak256(signed) === hash ? signed : null;
	} catch {
		// No fees, no address: what cannot be written was not signed so.
		return null;
	}
}
