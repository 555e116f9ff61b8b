import { z } from "zod";
import { cancellationSchema } from "#plugins/wallets/contract.ts";

const time = z.string().meta({ format: "date-time" });
const questionUrl = z
	.string()
	.nullable()
	.meta({ description: "A one-time link for its owner; in the answer that made it alone." });

/** A wallet transfer to one recipient. */
export const transferSchema = z.object({
	id: z.string(),
	status: z.enum([
		"created",
		"rejected",
		"confirmation_required",
		"review_required",
		"signature_required",
		"submitting",
		"submitted",
		"uncertain",
		"confirmed",
		"failed",
		"expired",
		"dry_run",
	]),
	errorCode: z.string().nullable().meta({ description: "Why it was rejected, or failed." }),
	fromWalletId: z.string(),
	from: z
		.string()
		.nullable()
		.meta({ description: "Null where the wallet is not linked any more." }),
	recipient: z.string(),
	recipientIsContract: z.boolean().nullable().meta({ description: "Null: nobody looked yet." }),
	amount: z.string().meta({ description: "In ETH, exact." }),
	amountRaw: z.string().meta({ description: "In wei." }),
	chain: z.string(),
	chainId: z.number(),
	batchId: z
		.string()
		.nullable()
		.meta({ description: "What was asked for with one request is judged as a whole." }),
	transactionHash: z.string().nullable(),
	cancellation: cancellationSchema,
	signUrl: questionUrl,
	confirmUrl: questionUrl,
	cancelUrl: z.string().nullable().meta({
		description:
			"A one-time link by which your own wallet signs its cancellation; in the answer to that alone.",
	}),
	createdAt: time,
	updatedAt: time,
	expiresAt: time.meta({ description: "What was not sent by then is not sent any more." }),
});

export const transferPageSchema = z.object({
	data: z.array(transferSchema),
	page: z.object({
		nextCursor: z.string().nullable().meta({ description: "Send it back as `cursor`." }),
		hasMore: z.boolean(),
	}),
});
