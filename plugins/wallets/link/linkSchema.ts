// Describes what a one-time link shows, and its result.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { cancellationSchema } from "#plugins/wallets/cancel/planCancellation.ts";
import { intentCode, intentErrorSchema } from "#plugins/wallets/intent/intentError.ts";

const ID = "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69";
const quantity = (description: string, example: string) =>
	z.string().meta({ pattern: "^0x(0|[1-9a-f][0-9a-f]*)$", description, examples: [example] });
const bytes = (description: string) =>
	z.string().meta({ pattern: "^0x([0-9a-fA-F]{2})*$", description, examples: ["0x"] });
const kind = field.text("What kind of intent it is.", "wallet_transfer");
const usd = field.number("In US dollars; null where no feed knows.", 25).nullable();

const chain = z
	.object({
		id: field.integer("EIP-155 id.", 1),
		slug: field.text("Its name in this API.", "ethereum"),
		name: field.text("Its name for people.", "Ethereum"),
	})
	.meta({ id: "LinkChain", description: "A chain." });

const spendSchema = z
	.object({
		amount: field.decimal("In whole units of `symbol`, exact.", "0.01"),
		amountRaw: field.digits("In base units.", "10000000000000000"),
		symbol: field.text("The currency's symbol.", "ETH"),
		currency: field.addressText("The currency's contract; the zero address is the chain's coin."),
		usd,
	})
	.meta({ id: "LinkSpend", description: "What leaves a wallet, without the network's fee." });

const paymentSchema = z
	.object({
		recipient: field.addressText("Who gets it."),
		isSeller: field.flag("Whether that is who sells."),
		amount: field.decimal("In whole units of `symbol`, exact.", "0.01"),
		symbol: field.text("The currency's symbol.", "ETH"),
	})
	.meta({ id: "LinkPayment", description: "One recipient of what leaves a wallet." });

const transactionSchema = z
	.object({
		intentId: field.id("The intent that it belongs to."),
		chain,
		from: field.addressText("The wallet that sends."),
		to: field.addressText("What is called, or paid."),
		recipient: field.addressText("Who gets what leaves the wallet; null: several.").nullable(),
		spend: spendSchema,
		payments: z
			.array(paymentSchema)
			.meta({ description: "Who gets what of it. Empty where that is one recipient." }),
		valueRaw: field.digits("Wei of the chain's coin that it carries.", "10000000000000000"),
		data: bytes("Its calldata."),
		planHash: field.hashText("Keccak-256 of the plan."),
		shown: z.record(z.string(), z.unknown()).meta({
			description: "What it does, in the words of its kind; `summary` is a sentence.",
			examples: [{ summary: "Sends 0.01 ETH." }],
		}),
	})
	.meta({ id: "LinkTransaction", description: "A transaction that a link asks about, decoded." });

const totalSchema = z
	.object({
		amount: field.decimal("In whole units of `symbol`, exact.", "0.02"),
		symbol: field.text("The currency's symbol.", "ETH"),
		usd,
	})
	.meta({ id: "LinkTotal", description: "What leaves the wallet in all." });

const requestSchema = z
	.object({
		from: field.addressText("The wallet that sends."),
		to: field.addressText("What is called, or paid."),
		value: quantity("Wei, in hex.", "0x2386f26fc10000"),
		data: bytes("Calldata."),
		chainId: quantity("EIP-155 id, in hex.", "0x1"),
		nonce: quantity("In hex. For `cancel` alone, as the fees are.", "0x7").optional(),
		maxFeePerGas: quantity("Wei a unit of gas, in hex.", "0x77359400").optional(),
		maxPriorityFeePerGas: quantity("Wei a unit of gas, in hex.", "0x3b9aca00").optional(),
	})
	.meta({ id: "WalletRequest", description: "As EIP-1193's `eth_sendTransaction` takes it." });

/** Describes what a link asks, decoded: all that its owner needs before they approve. */
export const linkSchema = z
	.object({
		purpose: z.enum(["confirm", "sign", "cancel"]).meta({
			description:
				"`confirm`: say yes, we send. `sign`: the owner's own wallet sends. `cancel`: it sends nothing " +
				"to itself under the nonce of a payment, so that this cannot be mined.",
		}),
		kind,
		planHash: field.hashText("Keccak-256 of what is shown here. It goes into the confirmation."),
		expiresAt: field.time("Until when it can be answered."),
		expiresInMs: field.integer("The same in milliseconds from now, for other clocks.", 600_000),
		transactions: z.array(transactionSchema).meta({ description: "What is to be sent." }),
		total: totalSchema.nullable().meta({
			description: "What leaves the wallet in all; null where that is several currencies.",
		}),
		request: requestSchema.nullable().meta({
			description: "For `sign` and `cancel`: what the browser's wallet is asked to send.",
		}),
	})
	.meta({ id: "Link", description: "What a one-time link asks." });

/** Describes an intent's state for whoever has a link to it. */
const outcome = z
	.object({
		kind,
		status: field.text("Where it stands.", "submitted"),
		errorCode: intentCode("Why it was rejected, or failed."),
		error: intentErrorSchema.nullable().meta({ description: "The same with its figures." }),
		transactionHash: field.hashText("Its transaction; null until it was sent.").nullable(),
		cancellation: cancellationSchema,
		chain,
	})
	.meta({ id: "LinkOutcome", description: "Where an intent stands." });

/** Describes the result of a link, also where it is used or has expired. */
export const linkOutcomeSchema = z
	.object({ intents: z.array(outcome).meta({ description: "What it asked about." }) })
	.meta({ id: "LinkOutcomeList", description: "What became of what a link asked about." });

/** Describes an intent's state after its owner reported a transaction for it. */
export const linkNamedSchema = outcome
	.extend({ id: field.text("The intent.", ID).meta({ format: "uuid" }) })
	.meta({ id: "TransactionTaken", description: "Where an intent stands with that transaction." });

const used = outcome
	.extend({
		id: field.text("The intent.", ID).meta({ format: "uuid" }),
		nextUrl: field
			.url(
				"Where it asks its owner again: to sign, or about what has changed.",
				"https://app.example.com/links/x7Zk",
			)
			.nullable(),
	})
	.meta({ id: "LinkAnswered", description: "Where an intent stands after an answer." });

/** Describes the result of an answer to a link. */
export const linkUsedSchema = z
	.object({ intents: z.array(used).meta({ description: "What was answered for." }) })
	.meta({ id: "LinkAnsweredList", description: "What became of an answer to a link." });

/** Holds what a one-time link shows to its page: `GET /v1/links/:token`. */
export type LinkShown = z.output<typeof linkSchema>;
/** Holds the state of an intent of a link, as the link shows it to its page. */
export type LinkOutcome = z.output<typeof linkOutcomeSchema>["intents"][number];
