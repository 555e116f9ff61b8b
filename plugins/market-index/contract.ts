import type { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { serviceKey } from "#core/plugin/Plugin.ts";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import type {
	BookReads as IndexBook,
	TokenListing as IndexListing,
} from "#plugins/market-index/orderBook.ts";
import { detectionSchema, revealStateSchema } from "#plugins/market-index/schemas/collection.ts";
import { frameSchemas } from "#plugins/market-index/schemas/frameSchemas.ts";
import type { RevealIndex as IndexReveals } from "#plugins/market-index/tokens/contract.ts";

/** An event to store: read by a lane, or told by another source. */
export type NewEvent = Omit<ChainEvent, "kind"> & {
	kind: "sale" | "mint" | "transfer";
	/** False for what only a provider told. Left out: it was read from the chain itself. */
	onchainVerified?: boolean;
	/** The provider's own words, as JSON; null, or left out, for an event that no provider told. */
	payload?: Readonly<Record<string, unknown>> | null;
};

export type NewEvents = {
	chainId: number;
	/** True near the head: frames go out one by one. */
	live: boolean;
	/**
	 * True for one collection's past as a provider tells it: discover is then not told to read again.
	 */
	isHistory?: boolean;
	events: readonly NewEvent[];
};

/** Returns the topic of one collection's stream. */
export function collectionTopic(chain: string, address: Address): string {
	return `collection:${chain}:${address}`;
}

/** Returns the topic of one chain's discover stream. */
export function discoverTopic(chain: string): string {
	return `discover:${chain}`;
}

/** The data of those topics' frames, by type. */
export const marketFrames = frameSchemas;

/** A collection found by any of its names in requests. */
export type FoundCollection = { id: number; chain: string; address: Address; slug: string };

/** Why a collection is looked at. */
export type TouchReason = "detail" | "candles" | "stream";

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

/** The index's reads for plugins that choose among listings. */
export type BookReads = IndexBook;
/** A listing with its token's rank and traits. */
export type TokenListing = IndexListing;

/** The index's part in the detection of reveals. */
export type RevealIndex = IndexReveals;
export type RevealSubject = Awaited<ReturnType<RevealIndex["subjects"]>>[number];
export type RereadPart = NonNullable<Awaited<ReturnType<RevealIndex["reread"]>>>;
/** What a token's document shows, as far as a reveal is concerned. */
export type ShownToken = Parameters<RevealIndex["reading"]>[0][number];
export type RevealReading = ReturnType<RevealIndex["reading"]>;

export type RevealState = RevealSubject["revealState"];

/** The data of a `reveal` frame; and its parts, for routes that show the same. */
export type RevealFrame = z.output<typeof frameSchemas.reveal>;
export const revealParts = { detection: detectionSchema, state: revealStateSchema };

export const MarketIndexKey = serviceKey<MarketIndex>()("market-index");
