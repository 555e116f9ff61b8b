// Describes collections, their details and their reveals as clients see them.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { LIFECYCLES } from "#plugins/market-index/lifecycle.ts";
import {
	coverageSchema,
	figuresSchema,
	volumeFields,
} from "#plugins/market-index/schemas/figures.ts";

/** The presented lifecycle. */
export const lifecycleSchema = z
	.enum(LIFECYCLES)
	.meta({
		id: "Lifecycle",
		description:
			"`minted_out` is shown for 15 minutes after the last mint, then `secondary`; the filter " +
			"`ended` of trending lists both.",
	})
	.nullable()
	.meta({
		description:
			"Null where nothing is known: neither a mint nor a sale was seen, nobody is known to own or " +
			"to ask, and no mint was announced.",
	});

/** A row's coverage: figures that were covered in part, by the name of their field. */
export const partialSchema = z.record(z.string(), coverageSchema).meta({
	id: "CoverageByField",
	description:
		"Fields of this row that are numbers and were covered in part, each with how much. A number " +
		"that is not named is whole; a figure that is null is unknown. A figure with several names is " +
		"named once, by the one to prefer: `volume24hNative` also speaks for `volume_24h`.",
});

export type ShownPartial = z.output<typeof partialSchema>;

const floor = "Lowest known ask in ETH equivalents";
const volume = "Accepted sales of the last 24 hours in ETH equivalents";

const syncSchema = z
	.object({
		status: field.text("Equal to `syncStatus`.", "synced"),
		coverageEnd: field
			.time(
				"The time up to which every event of the collection is held, the chain's and the provider's; " +
					"null: none is sure.",
			)
			.nullable(),
	})
	.meta({ id: "CollectionSync", description: "How a collection stands with its sources." });

const healthSchema = z
	.object({
		providerConnected: field.flag("Whether the marketplace provider answers at present."),
	})
	.meta({ id: "CollectionHealth", description: "Whether the sources of a collection answer." });

/** A collection as lists and details show it: the record (2.1) and the market (2.2) in one. */
export const collectionSchema = z
	.object({
		slug: field.text("Its name in URLs; the contract's address until it has one.", "tidal-cats"),
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.addressText("The collection's contract."),
		name: field.text("Its name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("Its image; null while unknown.").nullable(),
		syncStatus: field
			.text("How its sync with the marketplace provider stands.", "synced")
			.meta({ examples: ["synced", "queued", "syncing", "failed"] }),
		lastProviderAt: field.time("When the provider was last read in full; null: never.").nullable(),
		floorNative: field.number(`${floor}; null = unknown, never 0.`, 1.2).nullable(),
		volume24hNative: field
			.number(
				`${volume}, from a whole minute on; null where no price of a sale is known, or nothing of ` +
					"the day was read.",
				54.3,
			)
			.nullable(),
		...volumeFields,
		ownersCount: field.integer("Distinct owners; null = unknown.", 3_120).nullable(),
		listedCount: field.integer("Tokens for sale; null = unknown.", 214).nullable(),
		totalSupply: field.integer("Units that exist; null = unknown.", 10_000).nullable(),
		sales24h: field
			.integer(
				"Accepted sales of the last 24 hours, from a whole minute on; null where nothing of them was " +
					"read.",
				42,
			)
			.nullable(),
		lifecycle: lifecycleSchema,
		revealState: field
			.text("`unknown`, `placeholder` (all tokens look alike) or `revealed`.", "revealed")
			.meta({ examples: ["revealed", "unknown", "placeholder"] }),
		revealCheckedAt: field.time("When the reveal was last looked for; null: never.").nullable(),
		revealedAt: field.time("When the reveal was noticed; null: not yet.").nullable(),
		lastMintAt: field.time("When a token was last minted; null: no mint is known.").nullable(),
		floor: field.number(`${floor}. Equal to \`floorNative\`.`, 1.2).nullable(),
		floor_price: field.number(`${floor}. Equal to \`floorNative\`.`, 1.2).nullable(),
		floor_price_usd: field
			.number("Lowest known ask in US dollars; null = unknown.", 3_000)
			.nullable(),
		volume_24h: field.number(`${volume}. Equal to \`volume24hNative\`.`, 54.3).nullable(),
		owners: field.integer("Distinct owners. Equal to `ownersCount`.", 3_120).nullable(),
		coverage: partialSchema,
		sync: syncSchema,
		health: healthSchema,
		provider_stream: z.enum(["connecting", "live", "off"]).meta({
			description:
				"The provider's push of this collection: `connecting` until it is followed, `off` where " +
				"the deployment follows none.",
		}),
	})
	.meta({
		id: "Collection",
		description:
			"A collection with its market. Some figures have two names, which always hold the same " +
			"value: prefer `floorNative` to `floor` and `floor_price`, `volume24hNative` to `volume_24h`, " +
			"`ownersCount` to `owners`, and `syncStatus` to `sync.status`. Other shapes call them: a " +
			"trending row `volumeNative` (of its window), `holders` (= `ownersCount`) and `listed` (= " +
			"`listedCount`); tiles `floor`, `volume24h`, `owners`, `listed` and `supply` (= `totalSupply`). " +
			"`stats.data.total.floor_price` is not among them: it is the provider's own figure, in " +
			"`floor_price_symbol`.",
	});

export type Collection = z.output<typeof collectionSchema>;

const mintSchema = z
	.object({
		active: field.flag("Minting, with a mint in the last hour."),
		priceNative: field
			.number("Price of the last mint in ETH equivalents a unit; 0 = free, null = unknown.", 0.08)
			.nullable(),
		mints1h: field
			.integer("Mint events of the last hour; null where nothing of it was read.", 12)
			.nullable(),
		mintedSupply: field
			.integer(
				"Units minted in all, once the contract was walked; else those that the index saw, and null " +
					"where it saw none and may have come too late.",
				9_871,
			)
			.nullable(),
		coverage: partialSchema,
	})
	.meta({ id: "CollectionMint", description: "What is minted of a collection, and for how much." });

const lastSaleSchema = z
	.object({
		tokenId: field.digits("The token's id.", "6529"),
		occurredAt: field.time("When it was sold."),
		priceNative: field
			.number("Price of one unit in ETH equivalents; null = unknown.", 1.25)
			.nullable(),
		priceUsd: field
			.number("Price of one unit in US dollars, at the rate of its time.", 3_125.5)
			.nullable(),
		transactionHash: field
			.hashText("Its transaction; null where the provider gave none.")
			.nullable(),
		imageUrl: field.url("The token's image; null while unknown.").nullable(),
	})
	.meta({ id: "LastSale", description: "The newest accepted sale of a collection." });

const totalSchema = z
	.looseObject({
		floor_price: field
			.number(
				"The provider's floor over all markets that it knows, in `floor_price_symbol`; null = unknown.",
				1.19,
			)
			.nullable(),
		floor_price_symbol: field.text("What `floor_price` is quoted in.", "ETH").nullable(),
	})
	.meta({
		id: "ProviderTotals",
		description:
			"As the provider sends it, with whatever else it holds; what it has not counted is null.",
	});

const intervalSchema = z.looseObject({}).meta({
	id: "ProviderInterval",
	description: "Figures of one interval, as the provider sends them.",
});

const statsSchema = z
	.object({
		data: z
			.object({
				total: totalSchema,
				intervals: z
					.array(intervalSchema)
					.optional()
					.meta({ description: "The provider's figures by interval, where it sent them." }),
			})
			.meta({ id: "ProviderStatsData", description: "The body of the provider's answer." }),
	})
	.meta({ id: "ProviderStats", description: "The collection's stats in the provider's own form." });

/** Describes one collection with its mint, its last sale and the provider's data. */
export const collectionDetailSchema = z
	.object({
		market: collectionSchema,
		figures: figuresSchema,
		mint: mintSchema,
		lastSale: lastSaleSchema
			.nullable()
			.meta({ description: "The newest accepted sale; null: none is known." }),
		stats: statsSchema,
		observedAt: field.time("When this was read."),
	})
	.meta({ id: "CollectionDetail", description: "One collection: market, mint and last sale." });

export type CollectionDetail = z.output<typeof collectionDetailSchema>;

const contractSchema = z
	.looseObject({
		address: field.text("The contract's address.", "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"),
		chain: field.text("The provider's name of the chain.", "ethereum"),
	})
	.meta({
		id: "RawContract",
		description: "A contract of a collection, as the provider names it.",
	});

/**
 * A collection in the provider's own form, as it was sent, with all its other members. Rows that
 * the service adds have these fields and `source`.
 */
export const rawCollectionSchema = z
	.looseObject({
		collection: field.text("The provider's slug.", "tidal-cats"),
		name: field.text("Its name.", "Tidal Cats").nullable().optional(),
		image_url: field.text("Its image.", "https://example.com/cats.png").nullable().optional(),
		contracts: z
			.array(contractSchema)
			.optional()
			.meta({ description: "Where it is; the only place that names a chain." }),
		source: z
			.literal("svc_index")
			.optional()
			.meta({ description: "On rows that the service added from its own index." }),
	})
	.meta({
		id: "RawCollection",
		description: "A collection in the provider's own form, with whatever else it sent.",
	});

export type RawCollection = z.output<typeof rawCollectionSchema>;

/** Describes how a reveal was noticed. */
export const detectionSchema = z
	.object({
		signal: z.enum(["poll", "block", "log", "metadata_event"]).meta({
			description:
				"What made the service look: its clock, a new block, a log of the contract, or an event of " +
				"ERC-4906.",
		}),
		evidence: z.enum(["uri_hash", "traits"]).meta({
			description: "What it saw: tokens with another URI, or traits where there were none.",
		}),
		blockNumber: field.integer("The block it was seen in; null = unknown.", 21_000_000).nullable(),
		blockAt: field.time("That block's time; null = unknown.").nullable(),
		detectedAt: field.time("When it was noticed."),
		delayMs: field
			.integer("From the block's time to then, in milliseconds; null = unknown.", 180)
			.nullable(),
	})
	.meta({ id: "RevealDetection", description: "How and when a reveal was noticed." });

export const revealStateSchema = z
	.enum(["unknown", "placeholder", "revealed"])
	.meta({ description: "`placeholder`: all tokens look alike. `revealed`: each shows its own." });

/** A frame of a reveal. */
export const revealSchema = z
	.object({
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.address("The collection's contract."),
		slug: field.text("The collection's slug.", "tidal-cats"),
		phase: z.enum(["placeholder", "detected", "revealed", "hidden_still"]).meta({
			description:
				"`placeholder`: its tokens look alike. `detected`: they no longer do, and all are read again. " +
				"`revealed`: all are read, counted and ranked. `hidden_still`: many of them still look alike.",
		}),
		revealState: revealStateSchema,
		detection: detectionSchema.nullable().meta({
			description: "How it was noticed; null where the state moved without a reveal.",
		}),
		occurredAt: field.time("When this was stored."),
	})
	.meta({ id: "Reveal", description: "Where a collection's reveal stands." });
