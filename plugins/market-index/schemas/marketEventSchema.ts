import { z } from "zod";
import type { MarketEvent } from "#plugins/market-index/render/MarketEvent.ts";

const hex = z.templateLiteral(["0x", z.string()]);

/** A sale, mint or transfer in activity and discover. A sale's `from` sold and its `to` bought. */
export const marketEventSchema = z.object({
	id: z.string(),
	chain: z.string(),
	contractAddress: hex,
	eventType: z.enum(["sale", "mint", "transfer"]),
	accepted: z.boolean().meta({ description: "Only accepted events count in any figure." }),
	reason: z
		.string()
		.nullable()
		.meta({ examples: ["zero_price", "self_trade"] }),
	onchainVerified: z.boolean(),
	transactionHash: hex.nullable(),
	blockNumber: z
		.number()
		.nullable()
		.meta({ description: "Null, as is logIndex, where no chain was seen to say it." }),
	logIndex: z.number().nullable(),
	tokenId: z.string().meta({ examples: ["6529"] }),
	quantity: z.string().meta({ examples: ["1"] }),
	from: hex,
	to: hex,
	venue: z
		.string()
		.nullable()
		.meta({ examples: ["seaport"] }),
	priceNative: z
		.number()
		.nullable()
		.meta({ description: "Per unit, an ETH equivalent; 0 = free, null = unknown." }),
	priceUsd: z.number().nullable(),
	amountRaw: z.string().nullable().meta({ description: "Per unit, in base units." }),
	totalRaw: z.string().nullable().meta({ description: "For all units, exact." }),
	settlementCurrency: z
		.object({
			symbol: z.string().nullable(),
			address: hex,
			decimals: z.number().nullable(),
		})
		.nullable(),
	occurredAt: z.string(),
	imageUrl: z.string().nullable(),
	traits: z.array(z.unknown()).nullable(),
	providerPayload: z.record(z.string(), z.unknown()).nullable(),
}) satisfies z.ZodType<MarketEvent>;
