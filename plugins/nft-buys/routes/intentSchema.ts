import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { cancellationSchema } from "#plugins/wallets/contract.ts";

/** A buy or an offer, as its owner sees it. */
export const intentSchema = z
	.object({
		id: field.id("Names the intent."),
		kind: z.enum(["buy", "offer"]).meta({ description: "What was asked for." }),
		status: field.text(
			"`created`, `rejected`, `confirmation_required`, `review_required`, `signature_required`, " +
				"`waiting` (for the step before it), `submitting`, `submitted`, `uncertain`, `confirmed`, " +
				"`failed`, `expired` or `dry_run`.",
			"submitted",
		),
		errorCode: field
			.text("Why it was rejected, or failed.", "per_trade_limit")
			.meta({ examples: ["per_trade_limit", "wallet_notional_limit", "daily_limit"] })
			.nullable(),
		chain: field.text("Slug of the chain.", "ethereum"),
		contract: field.addressText("The collection's contract."),
		tokenId: field
			.digits("The token's id; null for an offer on the collection.", "6529")
			.nullable(),
		quantity: field.digits("Units.", "1"),
		priceLimit: field
			.number("The most it may cost, in the chain's coin, for display.", 1.25)
			.nullable(),
		priceLimitRaw: field
			.digits(
				"The same in base units. Where the listing alone was named: its price.",
				"1250000000000000000",
			)
			.nullable(),
		orderHash: field
			.hashText("The listing that was named, or that was found. Null until there is one.")
			.nullable(),
		walletId: field
			.text(
				"The wallet that pays, by its id. Null where there was none that could pay.",
				"0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69",
			)
			.nullable(),
		plan: z
			.record(z.string(), z.unknown())
			.nullable()
			.meta({
				description: "What is or was to be signed, decoded. Null until it was planned.",
				examples: [{ summary: "Buys one token for 1.25 ETH." }],
			}),
		planHash: field.hashText("Keccak-256 of the plan; null until it was planned.").nullable(),
		transactionHash: field.hashText("Its transaction; null until it was sent.").nullable(),
		cancellation: cancellationSchema,
		cancelUrl: field
			.url(
				"A one-time link by which your own wallet signs its cancellation; in the answer to that alone.",
				"https://app.example.com/links/x7Zk",
			)
			.nullable(),
		createdAt: field.time("When it was asked for."),
		changedAt: field.time("When it last changed."),
		expiresAt: field.time("What was not sent by then is not sent any more."),
	})
	.meta({ id: "Intent", description: "A buy or an offer of yours." });

export type IntentView = z.output<typeof intentSchema>;
