import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

/** How an answer shows that an intent is being cancelled by its nonce. */
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
		transactionHash: field.hashText("That transaction; null until it was sent.").nullable(),
	})
	.meta({ id: "Cancellation", description: "The newest cancellation by nonce." })
	.nullable()
	.meta({ description: "The newest cancellation by nonce. Null where nobody asked for one." });
