import { parseTransaction } from "viem";
import { z } from "zod";
import { chainNumbers } from "#core/chain/chainNumbers.ts";
import type { Hex } from "#core/chain/Hex.ts";
import { readSigned } from "#plugins/wallets/chain/readSigned.ts";
import type { Fees } from "#plugins/wallets/submission/replacementFees.ts";

/** What a transaction offers for its gas, and its nonce where its own bytes say it. */
export type Offer = { fees: Fees; provenNonce: number | null };

const { gasPrice } = chainNumbers;
const shownFees = z.object({
	hash: z.string().toLowerCase(),
	maxFeePerGas: gasPrice,
	maxPriorityFeePerGas: gasPrice,
});
const shownPrice = z.object({ hash: z.string().toLowerCase(), gasPrice });

/**
 * What a node shows of a transaction's offer; null where it shows none of that hash. Signed bytes
 * that have the hash prove it. What cannot be put together is believed: nobody pays by our word,
 * and the caller holds the price against a limit.
 */
export function offerOf(seen: unknown, hash: Hex): Offer | null {
	const signed = readSigned(seen, hash);
	if (signed) return offerOfSigned(signed);
	const { data: fees } = shownFees.safeParse(seen);
	if (fees?.hash === hash) {
		const { maxFeePerGas, maxPriorityFeePerGas } = fees;
		return { fees: { maxFeePerGas, maxPriorityFeePerGas }, provenNonce: null };
	}
	const { data: legacy } = shownPrice.safeParse(seen);
	if (legacy?.hash !== hash) return null;
	// A transaction of the old kind offers its whole price as tip.
	const [maxFeePerGas, maxPriorityFeePerGas] = [legacy.gasPrice, legacy.gasPrice];
	return { fees: { maxFeePerGas, maxPriorityFeePerGas }, provenNonce: null };
}

/** What bytes offer that were signed: `chain/readSigned` puts no other kind together. */
export function offerOfSigned(signed: Hex): Offer {
	const { nonce = 0, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(signed);
	return { fees: { maxFeePerGas, maxPriorityFeePerGas }, provenNonce: nonce };
}
