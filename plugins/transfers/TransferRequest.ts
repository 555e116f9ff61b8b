import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import { coinSchema } from "#plugins/transfers/coin.ts";

const isAddress = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text);

/**
 * The stored request of one transfer: recipient and base units. Checked on arrival, and again here.
 */
export const transferRequest = z.object({
	recipient: z.string().refine(isAddress),
	amountRaw: z.string().regex(/^[1-9]\d{0,77}$/),
	/** The token that is sent, and the sum of the whole request; without them: the coin. */
	coin: coinSchema.exactOptional(),
	togetherRaw: z
		.string()
		.regex(/^[1-9]\d{0,77}$/)
		.exactOptional(),
});

export type TransferRequest = z.output<typeof transferRequest>;
