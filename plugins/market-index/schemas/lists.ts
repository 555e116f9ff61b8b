// Describes the rows of lists as clients see them: discover, drops, sales, search, trending.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import {
	collectionSchema,
	lifecycleSchema,
	partialSchema,
} from "#plugins/market-index/schemas/collection.ts";
import {
	collectionSlugSchema,
	explorerUrlSchema,
	marketEventSchema,
} from "#plugins/market-index/schemas/event.ts";
import { volumeFields } from "#plugins/market-index/schemas/figures.ts";

const changeSchema = z
	.object({
		floorPercent: field
			.number(
				"Change of the floor since the window began, in percent; null where it was not seen within " +
					"two hours of now, or not in the 75 minutes before the window began.",
				-3.4,
			)
			.nullable(),
		volumePercent: field
			.number(
				"Change of the volume against as long a time before the window, in percent; null where " +
					"anything of either time was not read, a sale has no price, or none was sold before.",
				12.5,
			)
			.nullable(),
	})
	.meta({ id: "WindowChange", description: "What changed in one window." });

const changesSchema = z
	.object({
		"5m": changeSchema,
		"1h": changeSchema,
		"6h": changeSchema,
		"24h": changeSchema,
		"7d": changeSchema,
	})
	.meta({ id: "WindowChanges", description: "What changed, in each window until now." });

export type ShownChanges = z.output<typeof changesSchema>;

/** What rows of each list show beside their own figures. */
const listFigureFields = {
	changes: changesSchema,
	supply: field
		.integer("Units that exist; null = unknown. Elsewhere called `totalSupply`.", 10_000)
		.nullable(),
	listedPercent: field
		.number("Share of the supply that is for sale, in percent; null where either is unknown.", 2.1)
		.nullable(),
};

const listFiguresSchema = z.object(listFigureFields);

export type ListFigures = z.output<typeof listFiguresSchema>;

/** Why a row of trending stands where it does: the terms of the order, the first one first. */
const whySchema = z
	.object({
		formula: field.text(
			"How rows are ordered by `terms`; a term counts where those before it are equal.",
			"sales, then volumeRaw, then lastSaleAt, then lastMintAt: the greatest first, null last",
		),
		terms: z
			.object({
				sales: field.integer("Accepted sales of the window that were counted.", 42),
				volumeRaw: field.digits(
					"Sum of those with a price, in wei of ETH equivalents.",
					"54300000000000000000",
				),
				lastSaleAt: field.time("The newest accepted sale; null: none is known.").nullable(),
				lastMintAt: field.time("The newest mint; null: none is known.").nullable(),
			})
			.meta({ id: "TrendingTerms", description: "What the order of trending is made of." }),
	})
	.meta({
		id: "TrendingReason",
		description:
			"Why the row stands where it does: whoever sorts by the terms gets the same order.",
	});

export type TrendingReason = z.output<typeof whySchema>;

/** A collection of the collections list: the record with what lists show beside it. */
export const listedCollectionSchema = collectionSchema
	.extend({ changes: changesSchema, listedPercent: listFigureFields.listedPercent })
	.meta({
		id: "ListedCollection",
		description: "A collection with its market, and with what changed in each window.",
	});

export type ListedCollection = z.output<typeof listedCollectionSchema>;

const collectionOfMint = z
	.object({
		slug: field.text("Its name in URLs; the contract's address until it has one.", "tidal-cats"),
		name: field.text("Its name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("Its image; null while unknown.").nullable(),
	})
	.meta({ id: "MintedCollection", description: "The collection that a token belongs to." });

/** A mint in discover, joined to its collection. */
export const discoverMintSchema = marketEventSchema
	.extend({ collection: collectionOfMint })
	.meta({ id: "DiscoverMint", description: "A mint, with the collection that it belongs to." });

export type DiscoverMint = z.output<typeof discoverMintSchema>;

/** An event across all collections, joined to its collection. */
export const marketActivityRowSchema = marketEventSchema
	.extend({ collection: collectionOfMint })
	.meta({
		id: "MarketActivityRow",
		description: "A sale, mint or transfer, with the collection that its token belongs to.",
	});

export type MarketActivityRow = z.output<typeof marketActivityRowSchema>;

/** A collection in `trending`, `market` and `minting` of discover, and in its frames. */
export const discoverRowSchema = z
	.object({
		slug: field.text("Its name in URLs; the contract's address until it has one.", "tidal-cats"),
		chain: field.text("Slug of the chain.", "ethereum"),
		name: field.text("Its name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("Its image; null while unknown.").nullable(),
		floorNative: field
			.number("Lowest known ask in ETH equivalents; null = unknown.", 1.2)
			.nullable(),
		volume24hNative: field
			.number(
				"Accepted sales of the last 24 hours in ETH equivalents; null where no price of a sale is " +
					"known, or nothing of the day was read.",
				54.3,
			)
			.nullable(),
		...volumeFields,
		sales24h: field
			.integer("Accepted sales of the last 24 hours; null where nothing of them was read.", 42)
			.nullable(),
		floorChange24hPercent: field
			.number("Change of the floor in 24 hours, in percent; null where either is unknown.", -3.4)
			.nullable(),
		mints1h: field
			.integer("Mint events of the last hour; null where nothing of it was read.", 12)
			.nullable(),
		lastMintAt: field.time("When a token was last minted; null: no mint is known.").nullable(),
		revealState: field
			.text("`unknown`, `placeholder` (all tokens look alike) or `revealed`.", "revealed")
			.meta({ examples: ["revealed", "unknown", "placeholder"] }),
		lifecycle: lifecycleSchema,
		coverage: partialSchema,
	})
	.meta({ id: "DiscoverRow", description: "A collection with the figures that discover shows." });

export type DiscoverRow = z.output<typeof discoverRowSchema>;

/** A row of discover's lists; frames have the row without these, which a reader keeps. */
export const listedDiscoverRowSchema = discoverRowSchema
	.extend({
		...listFigureFields,
		why: whySchema.optional().meta({
			description: "Why it stands where it does; in `trending` alone.",
		}),
	})
	.meta({
		id: "ListedDiscoverRow",
		description:
			"A collection with the figures that discover shows. Frames of the stream have the same row " +
			"without `changes`, `supply`, `listedPercent` and `why`: keep those that were read last.",
	});

export type ListedDiscoverRow = z.output<typeof listedDiscoverRowSchema>;

const stageSchema = z
	.object({
		type: field.text("The provider's name of the kind of stage.", "public_sale"),
		label: field.text("What the stage is called.", "Allowlist").nullable(),
		priceNative: field
			.number("Price of one unit in ETH equivalents; 0 = free, null = unknown.", 0.08)
			.nullable(),
		priceRaw: field.digits("The same in base units of `currency`.", "80000000000000000").nullable(),
		currency: field
			.address("What it is paid in; the zero address for the chain's native currency.")
			.nullable(),
		startsAt: field.time("When the stage begins; null = unknown.").nullable(),
		endsAt: field.time("When the stage ends; null = open or unknown.").nullable(),
		maxPerWallet: field.digits("Units that one wallet may mint; null = unknown.", "2").nullable(),
	})
	.meta({
		id: "DropStage",
		description: "One stage of a drop: who may mint when, and for how much.",
	});

/** Describes a mint that was announced, is under way or is over, as the provider reports it. */
export const dropSchema = z
	.object({
		slug: field.text("The collection's slug; its contract until it is indexed.", "tidal-cats"),
		isIndexed: field.flag("Whether the index has the collection."),
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.address("The collection's contract."),
		name: field.text("Its name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("Its image; null while unknown.").nullable(),
		type: field.text("The provider's name of the kind of drop.", "seadrop_v1_erc721"),
		state: z
			.enum(["minting", "upcoming", "ended"])
			.nullable()
			.meta({ description: "Where the drop stands now; null where its times are unknown." }),
		stages: z.array(stageSchema).meta({ description: "Its stages in order." }),
		maxSupply: field.integer("Units that can be minted in all; null = unknown.", 10_000).nullable(),
		totalSupply: field
			.integer("Units minted when the provider was last asked; null = unknown.", 4_211)
			.nullable(),
		startsAt: field.time("When its first stage begins; null = unknown.").nullable(),
		endsAt: field.time("When its last stage ends; null = open or unknown.").nullable(),
		seenAt: field.time("When the provider last told of it."),
	})
	.meta({ id: "Drop", description: "A mint that was announced, is under way or is over." });

export type Drop = z.output<typeof dropSchema>;

/** Describes how far the live sale lane is behind the chain. */
export const freshnessSchema = z
	.object({
		chain: field.text("Slug of the chain.", "ethereum"),
		headBlock: field.integer("Newest block of the chain that was seen.", 21_000_003).nullable(),
		indexedBlock: field.integer("Newest block whose sales are stored.", 21_000_002).nullable(),
		indexedAt: field.time("When that block was stored; null: none was.").nullable(),
		lagBlocks: field.integer("`headBlock` less `indexedBlock`.", 1).nullable(),
		listRefreshedAt: field
			.time(
				"When the provider's list that these rows are of was read; null where none was: then they " +
					"are the index's own, as of `servedAt`.",
			)
			.nullable(),
		servedAt: field.time("When this was answered."),
	})
	.meta({
		id: "Freshness",
		description: "How fresh the figures are: the chain's live sale lane, and when this was served.",
	});

export type Freshness = z.output<typeof freshnessSchema>;

/** Describes one accepted sale as a dot of the chart. */
export const salePointSchema = z
	.object({
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.addressText("The collection's contract."),
		slug: collectionSlugSchema,
		tokenId: field.digits("The token's id.", "6529"),
		imageUrl: field.url("The token's image; null while unknown.").nullable(),
		rank: field.integer("OpenRarity rank, 1 the rarest; null before the reveal.", 12).nullable(),
		priceNative: field
			.number("Price of one unit in ETH equivalents; null = unknown.", 1.25)
			.nullable(),
		priceUsd: field
			.number("Price of one unit in US dollars, at the rate of its time.", 3_125.5)
			.nullable(),
		traits: z
			.array(z.unknown())
			.nullable()
			.meta({
				description: "The token's traits; null while unknown.",
				examples: [[{ trait_type: "Background", value: "Dusk" }]],
			}),
		occurredAt: field.time("When it was sold."),
		transactionHash: field
			.hashText("Its transaction; null where the provider gave none.")
			.nullable(),
		venue: field.text("Where it was sold.", "seaport").nullable(),
		buyer: field.addressText("Who bought it."),
		seller: field.addressText("Who sold it."),
		explorerUrl: explorerUrlSchema,
	})
	.meta({ id: "SalePoint", description: "One accepted sale, as a point of a chart." });

export type SalePoint = z.output<typeof salePointSchema>;

/** A collection that a search found. */
export const searchHitSchema = z
	.object({
		slug: field.text("Its name in URLs; the provider's slug where only it knows it.", "tidal-cats"),
		chain: field
			.text("Null where only the provider knows it, and did not say where it is.", "ethereum")
			.nullable(),
		contractAddress: field.address("The collection's contract; null where unknown.").nullable(),
		name: field.text("Its name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("Its image; null while unknown.").nullable(),
		floorNative: field
			.number("Lowest known ask in ETH equivalents; null = unknown.", 1.2)
			.nullable(),
		volume24hNative: field
			.number("Accepted sales of the last 24 hours in ETH equivalents; null = unknown.", 54.3)
			.nullable(),
		...volumeFields,
		sales24h: field
			.integer("Accepted sales of the last 24 hours; null where it is not indexed.", 42)
			.nullable(),
		ownersCount: field.integer("Distinct owners; null = unknown.", 3_120).nullable(),
		coverage: partialSchema,
		source: z
			.enum(["svc_index", "provider"])
			.meta({ description: "Whether the index has it, or only the provider found it." }),
	})
	.meta({ id: "SearchHit", description: "A collection that a search found." });

export type SearchHit = z.output<typeof searchHitSchema>;

export const trendingRowSchema = z
	.object({
		slug: field.text("Its name in URLs; the contract's address until it has one.", "tidal-cats"),
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.addressText("The collection's contract."),
		name: field.text("Its name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("Its image; null while unknown.").nullable(),
		lifecycle: lifecycleSchema,
		soldOut: field.flag("True while presented as `minted_out`."),
		lastMintAt: field.time("When a token was last minted; null: no mint is known.").nullable(),
		holders: field
			.integer("Distinct owners; null = unknown. Elsewhere called `ownersCount`.", 3_120)
			.nullable(),
		listed: field
			.integer("Tokens for sale; null = unknown. Elsewhere called `listedCount`.", 214)
			.nullable(),
		volumeNative: field
			.number("Accepted sales of the window in ETH equivalents; null = unknown.", 54.3)
			.nullable(),
		...volumeFields,
		floorNative: field
			.number("Lowest known ask in ETH equivalents; null = unknown.", 1.2)
			.nullable(),
		sales: field
			.integer("Accepted sales of the window; null where nothing of it was read.", 42)
			.nullable(),
		coverage: partialSchema,
	})
	.meta({ id: "TrendingRow", description: "A collection with its sales of one window." });

export type TrendingRow = z.output<typeof trendingRowSchema>;

/** A row of the trending list. */
export const listedTrendingRowSchema = trendingRowSchema
	.extend({ ...listFigureFields, why: whySchema })
	.meta({
		id: "ListedTrendingRow",
		description: "A collection with its sales of one window, and why it stands where it does.",
	});

export type ListedTrendingRow = z.output<typeof listedTrendingRowSchema>;
