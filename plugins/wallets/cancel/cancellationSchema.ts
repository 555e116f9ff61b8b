import { z } from "zod";

/** A cancellation by nonce in answers. */
export const cancellationSchema = z
	.object({
		state: z
			.enum([
				"queued",
				"sending",
				"sent",
				"doubtful",
				"dropped",
				"refused",
				"mined",
				"reverted",
				"never",
			])
			.meta({ description: "Of the transaction that takes the payment's nonce." }),
		transactionHash: z.string().nullable(),
	})
	.nullable()
	.meta({ description: "The newest cancellation by nonce. Null where nobody asked for one." });
