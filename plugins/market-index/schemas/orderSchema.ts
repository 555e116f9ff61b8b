import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { ORDER_KINDS } from "#plugins/market-index/event/BookOrder.ts";
import { bookCurrencySchema } from "#plugins/market-index/schemas/bookCurrencySchema.ts";

const criterionSchema = z
	.object({
		type: field.text("The trait's name.", "Background"),
		value: field.text("The value that a token must have.", "Dusk"),
	})
	.meta({ id: "OrderCriterion", description: "A trait that an offer asks for." });

/** A listing or an offer of the provider's order book. */
export const orderSchema = z
	.object({
		orderHash: field.hash("Names the order, at the provider too."),
		kind: z.enum(ORDER_KINDS).meta({ description: "What the order is for." }),
		tokenId: field
			.digits("The token's id; null for an offer on the collection or on traits.", "6529")
			.nullable(),
		maker: field.address("Who made the order."),
		quantity: field.digits("Units still to be had.", "1"),
		priceNative: field
			.number("Price of one unit in ETH equivalents; null = unknown.", 1.2)
			.nullable(),
		priceUsd: field
			.number("Price of one unit in US dollars, now; null = unknown.", 3_000)
			.nullable(),
		amountRaw: field.digits(
			"Price of one unit, in base units of `settlementCurrency`.",
			"1200000000000000000",
		),
		totalRaw: field.digits("Price of all units, exact, in base units.", "1200000000000000000"),
		settlementCurrency: bookCurrencySchema,
		criteria: z.array(criterionSchema).meta({ description: "Traits that an offer asks for." }),
		isPrivate: field.flag("Only one buyer may fill it."),
		protocolAddress: field.address("The marketplace contract that fills it.").nullable(),
		startsAt: field.time("When it can first be filled; null = unknown.").nullable(),
		expiresAt: field.time("When it can no longer be filled; null = unknown.").nullable(),
		seenAt: field.time("When the provider was last seen to have it."),
	})
	.meta({ id: "Order", description: "A listing or an offer of the provider's order book." });

export type Order = z.output<typeof orderSchema>;
