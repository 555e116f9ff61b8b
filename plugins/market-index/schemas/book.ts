// Describes order books and quotes as clients see them.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { pageSchema } from "#core/http/pages.ts";
import { ORDER_KINDS } from "#plugins/market-index/event/MarketEvent.ts";
import {
	collectionSlugSchema,
	explorerUrlSchema,
	traitSchema,
} from "#plugins/market-index/schemas/event.ts";

/** The currency of an order, as the provider states it. */
const bookCurrencySchema = z
	.object({
		symbol: field.text("Its symbol; null where the provider gave none.", "ETH").nullable(),
		address: field
			.address("Its contract; the zero address for the chain's native currency, null = unknown.")
			.nullable(),
		decimals: field.integer("Decimal places of its smallest unit.", 18),
	})
	.meta({ id: "BookCurrency", description: "The currency that an order of the book is paid in." });

/** Why a side of a book is not known. */
const BOOK_UNREAD = ["not_read", "unknown_to_provider", "provider_off", "traits_not_read"] as const;

export type BookUnread = (typeof BOOK_UNREAD)[number];

/** The member by which answers about a book state how old it is. */
export const bookReadAtSchema = field
	.time(
		"When this was last read of the provider to its end; null: never, so nothing is shown. Asking " +
			"for it has it read.",
	)
	.nullable();

/** The member by which answers about a book state why they have none. */
export const bookReasonSchema = z
	.enum(BOOK_UNREAD)
	.nullable()
	.meta({
		description:
			"Why it is null; null where it is known. `not_read`: the first reading has not ended; asking " +
			"has it read, so ask again in some seconds. `unknown_to_provider`: the provider does not know " +
			"the collection. `provider_off`: no provider is configured. `traits_not_read`: it was filtered " +
			"by traits, and nobody has counted those of the collection.",
		examples: [null],
	});

/** Describes one price of one side of an order book. */
export const depthLevelSchema = z
	.object({
		priceNative: field
			.number("Price of one unit in ETH equivalents; null = unknown.", 1.2)
			.nullable(),
		orders: field.integer("Orders at this price.", 2),
		units: field.digits("Units at this price.", "3"),
	})
	.meta({ id: "DepthLevel", description: "All orders of one side that ask the same price." });

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

/** An order of a page: with what is known of its token, so that it can be drawn and bought. */
const orderRowSchema = orderSchema
	.extend({
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.address("The collection's contract."),
		slug: collectionSlugSchema,
		tokenName: field
			.text("The token's name; null while unknown, and without a token.", "Tidal Cat #6529")
			.nullable(),
		imageUrl: field
			.url("The token's image; the collection's where no token is named. Null while unknown.")
			.nullable(),
		rank: field
			.integer("The token's OpenRarity rank, 1 the rarest; null before the reveal.", 12)
			.nullable(),
		traits: z.array(traitSchema).nullable().meta({
			description: "The token's traits; null while unknown, and without a token.",
		}),
		explorerUrl: explorerUrlSchema,
	})
	.meta({
		id: "BookOrder",
		description: "A listing or an offer of the provider's book, with its token.",
	});

export type BookOrderRow = z.output<typeof orderRowSchema>;

/** Describes an order of a list by when it began or ended. */
export const orderEventSchema = orderRowSchema
	.extend({
		eventType: z.enum(["listed", "offered", "cancelled"]).meta({
			description:
				"`listed`, `offered`: it could be filled from then on. `cancelled`: it ended, and was " +
				"neither bought nor over; see `ended`.",
		}),
		occurredAt: field.time("When it began, or ended."),
		isActive: field.flag("Whether it can be filled now, as far as is known."),
		ended: z
			.enum(["expired", "filled", "gone", "missing"])
			.nullable()
			.meta({
				description:
					"Why it ended. `gone`: the provider told that it was cancelled or cannot be filled. " +
					"`missing`: it is no longer in the provider's book, and nobody says why. Null: it has not " +
					"ended, or why is not known.",
				examples: [null],
			}),
	})
	.meta({ id: "OrderEvent", description: "A listing or an offer, with when it began or ended." });

export type OrderEventRow = z.output<typeof orderEventSchema>;

/** The member by which lists of activity answer types that are about orders. */
export const orderEventsSchema = z
	.array(orderEventSchema)
	.nullable()
	.meta({
		description:
			"Orders, newest first, where `type` asks for `listed`, `offered` or `cancelled`; `data` is " +
			"empty then. Null otherwise.",
	});

/** A page of one side of a book. */
export const orderPageSchema = z
	.object({
		data: z.array(orderRowSchema).nullable().meta({
			description:
				"Active orders, the best price first; null until these were read to their end once: not known.",
		}),
		reason: bookReasonSchema,
		page: pageSchema,
		bookReadAt: bookReadAtSchema,
	})
	.meta({ id: "OrderPage", description: "A page of one side of a collection's order book." });

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

/** Describes what buying would cost, by the book, the feeds and the chain at `observedAt`. */
export const quoteSchema = z
	.object({
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.address("The collection's contract."),
		quantity: z.int().meta({ description: "Units that were asked for.", examples: [1] }),
		availableUnits: z
			.int()
			.nullable()
			.meta({
				description: "At most `quantity`; null where the listings were not read yet: not known.",
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
