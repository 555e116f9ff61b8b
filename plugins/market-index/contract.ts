import type { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { serviceKey } from "#core/plugin/serviceKey.ts";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import { frameSchemas } from "#plugins/market-index/schemas/frameSchemas.ts";
import { detectionSchema, revealStateSchema } from "#plugins/market-index/schemas/revealSchema.ts";
import type { RevealIndex as IndexReveals } from "#plugins/market-index/tokens/RevealIndex.ts";

/** What the index stores: what lanes saw, and what other sources say happened. */
export type NewEvent = Omit<ChainEvent, "kind"> & {
	kind: "sale" | "mint" | "transfer";
	/** False for what only a provider said. Left out: it was read from the chain itself. */
	onchainVerified?: boolean;
	/** The provider's own words, as JSON; null, or left out, where no provider spoke. */
	payload?: Readonly<Record<string, unknown>> | null;
};

export type NewEvents = {
	chainId: number;
	/** True near the head: frames go out one by one. */
	live: boolean;
	/** True for what a provider tells of one collection's past: discover is not told to read anew. */
	isHistory?: boolean;
	events: readonly NewEvent[];
};

/** The topic of one collection's stream. */
export function collectionTopic(chain: string, address: Address): string {
	return `collection:${chain}:${address}`;
}

/** The topic of one chain's discover stream. */
export function discoverTopic(chain: string): string {
	return `discover:${chain}`;
}

/** What frames of those topics hold as their data, by type. */
export const marketFrames = frameSchemas;

/** A collection found by whatever a client may call it. */
export type FoundCollection = { id: number; chain: string; address: Address; slug: string };

/** Why somebody looks at a collection. */
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
	 * Somebody opened a collection: its order book is kept current for five minutes, and a sync of it
	 * is put in line. Nobody waits for it, and it never fails; repeated it costs nothing.
	 */
	touch(collectionId: number, reason: TouchReason): void;
	/** What watching for reveals needs. */
	reveals: RevealIndex;
};

/** What the index does for whoever watches reveals. */
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
