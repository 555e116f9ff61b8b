import { keccak256, stringToBytes } from "viem";
import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { stableJson } from "#core/json/stableJson.ts";
import { storedField } from "#plugins/wallets/plan/storedField.ts";

/**
 * What an owner signs to cancel what their own wallet sent: nothing, from their address to itself,
 * under the payment's nonce, at fees for which nodes take it in the payment's place.
 */
export type CancelTerms = {
	intentId: string;
	chainId: number;
	/** Whose nonce it is; the transaction goes from here to here. */
	from: Address;
	nonce: number;
	maxFeePerGas: bigint;
	maxPriorityFeePerGas: bigint;
	/** The payment as it was last known; null where nobody has named its hash. */
	paymentHash: Hex | null;
};

const { address, word } = storedField;
const units = storedField.units.transform((text) => BigInt(text));
const storedTerms = z.strictObject({
	intentId: z.string(),
	chainId: z.int(),
	from: address,
	nonce: z.int().min(0),
	maxFeePerGas: units,
	maxPriorityFeePerGas: units,
	paymentHash: word.nullable(),
});

/** Reads and writes terms as JSON, and names them by a hash. */
export const cancelTerms = {
	write(terms: CancelTerms): Record<string, unknown> {
		return {
			...terms,
			maxFeePerGas: String(terms.maxFeePerGas),
			maxPriorityFeePerGas: String(terms.maxPriorityFeePerGas),
		};
	},
	/** Null where what is stored is no terms. */
	read(stored: unknown): CancelTerms | null {
		return storedTerms.safeParse(stored).data ?? null;
	},
	/** Changes with every member. No plan of a payment has the same text, so none has its hash. */
	hash(terms: CancelTerms): Hex {
		const text = stableJson({ action: "cancel", ...cancelTerms.write(terms) });
		return keccak256(stringToBytes(text));
	},
};
