import type { z } from "zod";
import type { Tx } from "#core/db/Database.ts";
import { serviceKey } from "#core/plugin/Plugin.ts";
import {
	collectionTopic,
	discoverTopic,
	type FoundCollection,
	type NewEvents,
	type TouchReason,
} from "#plugins/market-index/model.ts";
import type { BookReads } from "#plugins/market-index/orderBook.ts";
import { detectionSchema, revealStateSchema } from "#plugins/market-index/schemas/collection.ts";
import { frameSchemas } from "#plugins/market-index/schemas/frameSchemas.ts";
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
	 * Notes that a collection is being looked at: its order book is kept current for five minutes,
	 * and a sync of it is queued. Returns at once and never fails; repeating it costs nothing.
	 */
	touch(collectionId: number, reason: TouchReason): void;
	/** Reads and writes for the detection of reveals. */
	reveals: RevealIndex;
	/** What is for sale, with ranks and traits, read directly from what is stored. */
	book: BookReads;
};

/** The data of a `reveal` frame; and its parts, for routes that show the same. */
export type RevealFrame = z.output<typeof frameSchemas.reveal>;
export const revealParts = { detection: detectionSchema, state: revealStateSchema };

/** The data of the topics' frames, by type. */
export const marketFrames = frameSchemas;

export const MarketIndexKey = serviceKey<MarketIndex>()("market-index");

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
