// Offers the index to other plugins, and describes the data of its frames.

import { z } from "zod";
import type { Tx } from "#core/db/Database.ts";
import { field } from "#core/http/openapi/schema.ts";
import { serviceKey } from "#core/plugin/Plugin.ts";
import type { AccountBook } from "#plugins/market-index/accounts/AccountBook.ts";
import type { FloorUpdate } from "#plugins/market-index/floor.ts";
import {
	collectionTopic,
	discoverTopic,
	type FoundCollection,
	type NewEvents,
	type ResolveCollection,
	type TouchReason,
} from "#plugins/market-index/model.ts";
import type { BookReads } from "#plugins/market-index/orderBook.ts";
import { orderSchema } from "#plugins/market-index/schemas/book.ts";
import {
	detectionSchema,
	revealSchema,
	revealStateSchema,
} from "#plugins/market-index/schemas/collection.ts";
import { marketEventSchema } from "#plugins/market-index/schemas/event.ts";
import { candleSchema } from "#plugins/market-index/schemas/figures.ts";
import { discoverMintSchema, discoverRowSchema } from "#plugins/market-index/schemas/lists.ts";
import type { RevealIndex } from "#plugins/market-index/tokens/createReveals.ts";

export type MarketIndex = {
	/**
	 * Stores events with everything that follows from them (collections, figures, frames), in the
	 * caller's transaction, which must hold the chain's lock. Events already stored change nothing.
	 */
	record(tx: Tx, batch: NewEvents): Promise<void>;
	/**
	 * Finds a collection by slug, former slug or address in any case. Throws the Faults
	 * `not_found`, and `chain_required` where several chains have one and none was named.
	 */
	find(slug: string, chain: string | undefined): Promise<FoundCollection>;
	/**
	 * Finds the collection that a person names, or asks which is meant: for orders as for questions.
	 */
	resolve: ResolveCollection;
	/**
	 * Notes that a collection is being looked at: its order book is kept current for five minutes,
	 * and a sync of it is queued. Returns at once and never fails; repeating it costs nothing.
	 */
	touch(collectionId: number, reason: TouchReason): void;
	/** Reads and writes for the detection of reveals. */
	reveals: RevealIndex;
	/** Reads what accounts hold, did and realised. */
	accounts: AccountBook;
	/** Reads what is for sale, with ranks and traits, from the stored book. */
	book: BookReads;
};

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

export type {
	FoundCollection,
	NewEvent,
	NewEvents,
	TouchReason,
} from "#plugins/market-index/model.ts";
export type { BookReads, TokenListing } from "#plugins/market-index/orderBook.ts";
export type {
	RevealReading,
	RevealState,
	Shown as ShownToken,
} from "#plugins/market-index/reveal.ts";
export type { RereadPart, RevealIndex } from "#plugins/market-index/tokens/createReveals.ts";
export type { RevealSubject } from "#plugins/market-index/tokens/sql/ranks.ts";
export { collectionTopic, discoverTopic };

/** The data of a `reveal` frame; and its parts, for routes that show the same. */
export type RevealFrame = z.output<typeof frameSchemas.reveal>;
export const revealParts = { detection: detectionSchema, state: revealStateSchema };

/** The data of the topics' frames, by type. */
export const marketFrames = frameSchemas;

export const MarketIndexKey = serviceKey<MarketIndex>()("market-index");
