import { z } from "zod";
import { bookReadAtSchema } from "#plugins/market-index/schemas/bookReadAtSchema.ts";

const hex = z.templateLiteral(["0x", z.string()]);

const amountSchema = z.object({
	native: z.number().nullable().meta({ description: "An ETH equivalent." }),
	usd: z.number().nullable(),
});

/** What buying would cost, as the book, the feeds and the chain say at `observedAt`. */
export const quoteSchema = z.object({
	chain: z.string(),
	contractAddress: hex,
	quantity: z.int(),
	availableUnits: z
		.int()
		.nullable()
		.meta({ description: "At most `quantity`; null where no book was read and nothing is known." }),
	bookReadAt: bookReadAtSchema,
	price: amountSchema.meta({ description: "Of one unit, the average of the listings." }),
	subtotal: amountSchema,
	fees: amountSchema.extend({ includedInPrice: z.literal(true) }),
	gas: amountSchema.extend({
		units: z.string(),
		priceWei: z.string().nullable().meta({ description: "Wei of the chain's coin a unit." }),
	}),
	total: amountSchema.meta({ description: "Subtotal and gas." }),
	listings: z.array(
		z.object({
			orderHash: hex,
			tokenId: z.string().nullable(),
			units: z.string(),
			priceNative: z.number().nullable(),
			totalRaw: z.string().meta({ description: "For `units`, in base units." }),
			settlementCurrency: z.object({
				symbol: z.string().nullable(),
				address: hex.nullable(),
				decimals: z.number(),
			}),
			expiresAt: z.string().nullable(),
		}),
	),
	observedAt: z.string(),
});

export type QuoteAnswer = z.output<typeof quoteSchema>;
