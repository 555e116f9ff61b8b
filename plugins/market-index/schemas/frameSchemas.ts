// Describes the data of the frames that streams send.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import type { FloorUpdate } from "#plugins/market-index/floor.ts";
import { orderSchema } from "#plugins/market-index/schemas/book.ts";
import { revealSchema } from "#plugins/market-index/schemas/collection.ts";
import { marketEventSchema } from "#plugins/market-index/schemas/event.ts";
import { candleSchema } from "#plugins/market-index/schemas/figures.ts";
import { discoverMintSchema, discoverRowSchema } from "#plugins/market-index/schemas/lists.ts";

const retracted = z
	.literal(true)
	.optional()
	.meta({ description: "There where it left the chain: take it out again." });

const eventSchema = marketEventSchema
	.extend({ retracted })
	.meta({ id: "StreamedEvent", description: "A sale, mint or transfer that was stored just now." });

const orderChangeSchema = orderSchema
	.extend({
		id: field.text("`order:` and the order's hash.", `order:0x${"5d".repeat(32)}`),
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.address("The collection's contract."),
		eventType: z.enum(["listing", "offer"]).meta({ description: "Which side of the book." }),
		status: z
			.enum(["active", "inactive"])
			.meta({ description: "`inactive`: it was filled, cancelled or has run out." }),
		occurredAt: field.time("When it was noticed."),
	})
	.meta({ id: "OrderChange", description: "A listing or offer that came to be, or ceased to be." });

const floorSchema = z
	.object({
		floorNative: field
			.number("Lowest known ask in ETH equivalents; null = unknown.", 1.2)
			.nullable(),
		floorUsd: field.number("The same in US dollars; null = unknown.", 3_000).nullable(),
		floorPrice: field.number("As it was asked for, in `floorSymbol`.", 1.2).nullable(),
		floorSymbol: field.text("What it was asked for in.", "WETH").nullable(),
		observedAt: field.time("When it was noticed."),
	})
	.meta({
		id: "FloorUpdate",
		description: "A collection's floor after a change.",
	}) satisfies z.ZodType<FloorUpdate>;

const price = (description: string, example: number) =>
	field
		.number(`${description}, in ETH equivalents a unit; null where no sale is left.`, example)
		.nullable();

const streamedCandleSchema = candleSchema
	.extend({
		open: price("Price of the interval's first sale", 1.2),
		high: price("Highest price", 1.4),
		low: price("Lowest price", 1.1),
		close: price("Price of the interval's last sale", 1.3),
	})
	.meta({ id: "StreamedCandle", description: "A candle as it now stands." });

const candleUpdateSchema = z
	.object({
		interval: z.literal("1m").meta({ description: "How long the candle is." }),
		candle: streamedCandleSchema,
		retracted: z
			.literal(true)
			.optional()
			.meta({ description: "There where the minute has no sales left." }),
	})
	.meta({ id: "CandleUpdate", description: "A minute whose sales changed." });

const mintSection = z
	.object({
		section: z.literal("mints").meta({ description: "Which list of discover it belongs to." }),
		row: discoverMintSchema
			.extend({ retracted })
			.meta({ id: "StreamedMint", description: "An accepted mint, stored just now." }),
	})
	.meta({ id: "DiscoverMintUpdate", description: "A new mint, or one that was taken back." });

const rowSection = z
	.object({
		section: z
			.enum(["market", "minting"])
			.meta({ description: "Which list of discover it belongs to." }),
		row: discoverRowSchema,
	})
	.meta({ id: "DiscoverRowUpdate", description: "A collection whose figures moved." });

/** The data of frames that the index publishes, by their type. */
export const frameSchemas = {
	market_event: z
		.union([eventSchema, orderChangeSchema])
		.meta({ description: "A stored event, or a change of the order book." }),
	floor_update: floorSchema,
	candle_update: candleUpdateSchema,
	reveal: revealSchema,
	discover_row: z
		.union([mintSection, rowSection])
		.meta({ description: "A row of discover, with the list that it belongs to." }),
};
