import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { bookCurrencySchema } from "#plugins/market-index/schemas/bookCurrencySchema.ts";
import { bookReadAtSchema } from "#plugins/market-index/schemas/bookReadAtSchema.ts";

const amount = {
	native: field.number("In ETH equivalents; null = unknown.", 1.2).nullable(),
	nativeRaw: field
		.digits("`native` as an exact integer, in wei of ETH; null = unknown.", "1200000000000000000")
		.nullable(),
	usd: field.number("In US dollars; null = unknown.", 3_000).nullable(),
};
const amountSchema = z
	.object(amount)
	.meta({ id: "QuoteAmount", description: "An amount for display, in two units." });
const feesSchema = z
	.object({
		...amount,
		includedInPrice: z
			.literal(true)
			.meta({ description: "Fees are part of the listings' prices." }),
	})
	.meta({ id: "QuoteFees", description: "What the seller pays of the price; not on top of it." });
const gasSchema = z
	.object({
		...amount,
		units: field.digits("Estimated units of gas.", "180000"),
		priceWei: field
			.digits(
				"Wei of the chain's coin a unit of gas; null where the node does not say.",
				"12000000000",
			)
			.nullable(),
	})
	.meta({ id: "QuoteGas", description: "What the network takes, as it stands now." });
const listingSchema = z
	.object({
		orderHash: field.hash("Names the listing."),
		tokenId: field.digits("The token's id.", "6529").nullable(),
		units: field.digits("Units taken of it.", "1"),
		priceNative: field
			.number("Price of one unit in ETH equivalents; null = unknown.", 1.2)
			.nullable(),
		totalRaw: field.digits("Price of `units`, exact, in base units.", "1200000000000000000"),
		settlementCurrency: bookCurrencySchema,
		expiresAt: field.time("When it can no longer be filled; null = unknown.").nullable(),
	})
	.meta({ id: "QuoteListing", description: "A listing that the estimate is made of." });

/** What buying would cost, by the book, the feeds and the chain at `observedAt`. */
export const quoteSchema = z
	.object({
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.address("The collection's contract."),
		quantity: z.int().meta({ description: "Units that were asked for.", examples: [1] }),
		availableUnits: z
			.int()
			.nullable()
			.meta({
				description: "At most `quantity`; null where no book was read and nothing is known.",
				examples: [1],
			}),
		bookReadAt: bookReadAtSchema,
		price: amountSchema.meta({ description: "Of one unit, the average of the listings." }),
		subtotal: amountSchema.meta({ description: "Of all units, fees included." }),
		fees: feesSchema,
		gas: gasSchema,
		total: amountSchema.meta({ description: "Subtotal and gas." }),
		listings: z
			.array(listingSchema)
			.meta({ description: "The listings that would be taken, the cheapest first." }),
		observedAt: field.time("When this was worked out."),
	})
	.meta({ id: "Quote", description: "What buying would cost now." });

export type QuoteAnswer = z.output<typeof quoteSchema>;
