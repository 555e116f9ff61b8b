import { z } from "zod";
import { lifecycleSchema } from "#plugins/market-index/schemas/lifecycleSchema.ts";

const native = z.number().nullable();
const count = z.number().nullable();
const time = z.string().nullable();

/** A collection as lists and details show it: the record (2.1) and the market (2.2) in one. */
export const collectionSchema = z.object({
	slug: z.string().meta({ examples: ["tidal-cats"] }),
	chain: z.string().meta({ examples: ["ethereum"] }),
	contractAddress: z.string().meta({ examples: ["0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"] }),
	name: z.string().nullable(),
	imageUrl: z.string().nullable(),
	syncStatus: z.string().meta({ examples: ["queued", "syncing", "synced", "failed"] }),
	lastProviderAt: time,
	floorNative: native.meta({ description: "ETH equivalent; null = unknown, never 0." }),
	volume24hNative: native.meta({
		description:
			"ETH equivalent of the last 24 hours, from the whole minute on; null where there were " +
			"sales and none has a known price.",
	}),
	ownersCount: count,
	listedCount: count,
	totalSupply: count,
	sales24h: z.number(),
	lifecycle: lifecycleSchema,
	revealState: z.string().meta({ examples: ["unknown", "placeholder", "revealed"] }),
	revealCheckedAt: time,
	revealedAt: time,
	lastMintAt: time,
	floor: native.meta({ description: "Equal to `floorNative`." }),
	floor_price: native.meta({ description: "Equal to `floorNative`." }),
	floor_price_usd: z.number().nullable(),
	volume_24h: native.meta({ description: "Equal to `volume24hNative`." }),
	owners: count,
	sync: z.object({
		status: z.string(),
		coverageEnd: time.meta({ description: "Until when every event of the chain is held." }),
	}),
	health: z.object({ providerConnected: z.boolean() }),
	provider_stream: z.enum(["connecting", "live", "off"]),
});

export type Collection = z.output<typeof collectionSchema>;
