import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
import { cancellationSchema, INTENT_STATUSES } from "#plugins/wallets/contract.ts";

const questionUrl = (what: string) =>
	field
		.url(
			`A one-time link for its owner, ${what}; in the answer that made it alone.`,
			"https://app.example.com/links/x7Zk",
		)
		.nullable();

/** A wallet transfer to one recipient. */
export const transferSchema = z
	.object({
		id: field.id("Names the transfer."),
		status: z.enum(INTENT_STATUSES).meta({
			description:
				"Where it stands. `rejected`, `confirmed`, `failed`, `expired` and `dry_run` are final; " +
				"`uncertain` may have been sent, and is looked up until that is known.",
		}),
		errorCode: field.text("Why it was rejected, or failed.", "per_trade_limit").nullable(),
		fromWalletId: field.text(
			"The wallet that it leaves, by its id.",
			"0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69",
		),
		from: field
			.addressText("That wallet's address; null where it is not linked any more.")
			.nullable(),
		recipient: field.addressText("Who gets it."),
		recipientIsContract: field
			.flag("Whether the recipient has code; null: nobody looked yet, or a token is sent.")
			.nullable(),
		amount: field.decimal("In whole coins of `currency`, exact.", "0.05"),
		amountRaw: field.digits("In base units of `currency`: wei for ETH.", "50000000000000000"),
		currency: field.text("What is sent: ETH, or a token by its contract.", "ETH"),
		chain: field.text("Slug of the chain.", "ethereum"),
		chainId: field.integer("EIP-155 id of the chain.", 1),
		batchId: field.id("What was asked for with one request is judged as a whole.").nullable(),
		transactionHash: field.hashText("Its transaction; null until it was sent.").nullable(),
		cancellation: cancellationSchema,
		signUrl: questionUrl("to sign it"),
		confirmUrl: questionUrl("to say yes"),
		cancelUrl: questionUrl("by which their own wallet signs its cancellation"),
		createdAt: field.time("When it was asked for."),
		updatedAt: field.time("When it last changed."),
		expiresAt: field.time("What was not sent by then is not sent any more."),
	})
	.meta({ id: "Transfer", description: "A transfer of ETH or of a token to one recipient." });

/** The answer to a request that sends. */
export const createdTransfersSchema = z
	.object({
		transfers: z
			.array(transferSchema)
			.meta({ description: "One for each recipient, in the order of the request." }),
	})
	.meta({ id: "CreatedTransfers", description: "The transfers of one request." });

export const transferPageSchema = z
	.object({
		data: z.array(transferSchema).meta({ description: "Transfers, newest first." }),
		page: pageSchema,
	})
	.meta({ id: "TransferPage", description: "A page of your wallet transfers." });
