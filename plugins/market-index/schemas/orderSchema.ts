import { z } from "zod";
import { ORDER_KINDS } from "#plugins/market-index/book/BookOrder.ts";

const hex = z.templateLiteral(["0x", z.string()]);

/** A listing or an offer of the provider's order book. */
export const orderSchema = z.object({
	orderHash: hex,
	kind: z.enum(ORDER_KINDS),
	tokenId: z
		.string()
		.nullable()
		.meta({ description: "Null for an offer on the collection or on traits." }),
	maker: hex,
	quantity: z.string().meta({ description: "Units still to be had.", examples: ["1"] }),
	priceNative: z
		.number()
		.nullable()
		.meta({ description: "Per unit, an ETH equivalent; null = unknown." }),
	priceUsd: z.number().nullable(),
	amountRaw: z.string().meta({ description: "Per unit, in base units." }),
	totalRaw: z.string().meta({ description: "For all units, exact." }),
	settlementCurrency: z.object({
		symbol: z.string().nullable(),
		address: hex.nullable(),
		decimals: z.number(),
	}),
	criteria: z
		.array(z.object({ type: z.string(), value: z.string() }))
		.meta({ description: "Traits that an offer asks for." }),
	isPrivate: z.boolean(),
	protocolAddress: hex.nullable(),
	startsAt: z.string().nullable(),
	expiresAt: z.string().nullable(),
	seenAt: z.string().meta({ description: "When the provider was last seen to have it." }),
});

export type Order = z.output<typeof orderSchema>;
