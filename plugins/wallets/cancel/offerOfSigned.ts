import { parseTransaction } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Fees } from "#plugins/wallets/submission/replacementFees.ts";

/** What a transaction offers for its gas, and its nonce where its own bytes say it. */
export type Offer = { fees: Fees; provenNonce: number | null };

/** What bytes offer that were signed: `chain/readSigned` puts no other kind together. */
export function offerOfSigned(signed: Hex): Offer {
	const { nonce = 0, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(signed);
	return { fees: { maxFeePerGas, maxPriorityFeePerGas }, provenNonce: nonce };
}
