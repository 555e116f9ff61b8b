// Describes events as clients see them, and parts that several kinds of rows share.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import type { MarketEvent } from "#plugins/market-index/event/MarketEvent.ts";

/** The page of a row at the explorer of its chain. */
export const explorerUrlSchema = field
	.url(
		"Its page at the explorer of its chain; null where the chain names no explorer, or the " +
			"transaction is not known.",
		"https://etherscan.io/token/0x1f9840a85d5af5bf1d1762f925bdaddc4201f984?a=6529",
	)
	.nullable();

/** Describes the slug of the collection that a row belongs to. */
export const collectionSlugSchema = field.text(
	"The collection's slug; its contract until it has a name.",
	"tidal-cats",
);

/** A trait in the form of ERC-721 metadata, which providers use as well. */
export const traitSchema = z
	.object({
		trait_type: field.text("The trait's name.", "Background"),
		value: field.text("The token's value of it.", "Dusk"),
		display_type: field
			.text("How the metadata asks to have it shown, such as `number` or `date`.", "number")
			.optional(),
	})
	.meta({ id: "AssetTrait", description: "One trait as the token's metadata tells it." });

/** The currency in which a price was, or is to be, paid. */
export const currencySchema = z
	.object({
		symbol: field.text("Its symbol; null until its contract was asked.", "WETH").nullable(),
		address: field.address("Its contract; the zero address for the chain's native currency."),
		decimals: field
			.integer("Decimal places of its smallest unit; null until its contract was asked.", 18)
			.nullable(),
	})
	.meta({ id: "Currency", description: "The currency that a trade is settled in." });

/** A sale, mint or transfer in activity and discover. A sale's `from` sold and its `to` bought. */
export const marketEventSchema = z
	.object({
		id: field.text(
			"Names the event and its block: after a reorg the same log in another block is another id.",
			`0x${"5d".repeat(32)}:12:0`,
		),
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.address("The collection's contract."),
		eventType: z.enum(["sale", "mint", "transfer"]).meta({ description: "What happened." }),
		accepted: field.flag("Only accepted events count in any figure."),
		reason: field
			.text(
				"Why it is not accepted: `zero_price`, `self_trade`, `swap`, `several_currencies`, " +
					"`duplicate`, `not_delivered` (its token did not reach the buyer) or `unproven` (nobody " +
					"knows who sold). Of an accepted one null, or a note: `price_unproven` (far above the " +
					"floor and not seen delivered: its price is in no figure) or `other_currency_tip` (a " +
					"tip in another currency is not in the price).",
				"self_trade",
			)
			.nullable()
			.meta({ examples: [null, "self_trade", "zero_price"] }),
		onchainVerified: field.flag(
			"True: read from the chain. False: only the marketplace provider told it so far.",
		),
		transactionHash: field
			.hash("Its transaction; null where only the provider told it and did not say.")
			.nullable(),
		blockNumber: field
			.integer("Its block; null, as is `logIndex`, where no chain was seen to say it.", 21_000_002)
			.nullable(),
		logIndex: field.integer("Its log's place in the block.", 12).nullable(),
		tokenId: field.digits("The token's id.", "6529"),
		quantity: field.digits("Units that changed hands; 1 for an ERC-721.", "1"),
		from: field.address("Who gave the token; a sale's seller, a mint's zero address."),
		to: field.address("Who got the token; a sale's buyer."),
		venue: field.text("Where it was traded; null for what is no sale.", "seaport").nullable(),
		priceNative: field
			.number("Price of one unit in ETH equivalents; 0 = free, null = unknown.", 1.25)
			.nullable(),
		priceUsd: field
			.number("Price of one unit in US dollars, at the rate of its time; null = unknown.", 3_125.5)
			.nullable(),
		amountRaw: field
			.digits("Price of one unit, in base units of `settlementCurrency`.", "1250000000000000000")
			.nullable(),
		totalRaw: field
			.digits("Price of all units, exact, in base units.", "1250000000000000000")
			.nullable(),
		settlementCurrency: currencySchema
			.nullable()
			.meta({ description: "What it was paid in; null where nothing was paid." }),
		occurredAt: field.time("When it happened: its block's time, else the provider's."),
		imageUrl: field.url("The token's image; null while unknown.").nullable(),
		traits: z
			.array(z.unknown())
			.nullable()
			.meta({
				description: "The token's traits as the provider told them; null where it did not.",
				examples: [[{ trait_type: "Background", value: "Dusk" }]],
			}),
		providerPayload: z
			.record(z.string(), z.unknown())
			.nullable()
			.meta({
				description: "The provider's own event; null where only the chain told it.",
				examples: [{ image_url: "https://example.com/cats/6529.png" }],
			}),
	})
	.meta({
		id: "MarketEvent",
		description: "A sale, mint or transfer of one token. Prices are of one unit.",
	}) satisfies z.ZodType<MarketEvent>;

/** How far back a page with filters looked. */
export const scannedToSchema = field
	.time(
		"How far back this page looked before it stopped: filters without an index are applied to 20,000 " +
			"events a page at most, and the next page goes on from there. Null: nothing was passed over.",
	)
	.nullable()
	.meta({ examples: [null] });

/** Says what a chart of sales leaves out. */
export const salesDrawnSchema = z
	.object({
		shown: z.int().meta({ description: "Sales in `points`.", examples: [5_000] }),
		leftOut: z.int().meta({
			description: "Sales of the time that were looked at and are not in `points`.",
			examples: [12_400],
		}),
		from: field
			.time("The oldest sale that was looked at, where there may be older ones; null: all were.")
			.nullable(),
	})
	.meta({
		id: "SalesDrawn",
		description: "What was chosen of the sales of a time so that a chart can be drawn.",
	});

export type SalesDrawn = z.output<typeof salesDrawnSchema>;
