import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { lifecycleSchema } from "#plugins/market-index/schemas/lifecycleSchema.ts";
import { partialSchema } from "#plugins/market-index/schemas/partialSchema.ts";
import { volumeFields } from "#plugins/market-index/schemas/volumeFields.ts";

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
