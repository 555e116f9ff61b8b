// Names the types that every part of the index shares, and the topics of its streams.

import type { Address } from "#core/chain/Hex.ts";
import type { ToolAnswer } from "#core/plugin/Tool.ts";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";

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

/** A collection found by any of its names in requests. */
export type FoundCollection = { id: number; chain: string; address: Address; slug: string };

/**
 * Finds the collection that a text means: by slug, former slug, address or its whole name, on one
 * chain or on all that are indexed. What only resembles a name is a question, whose choices each
 * mean one. Throws `not_found` where nothing is near.
 */
export type ResolveCollection = (
	text: string,
	chain: string | undefined,
) => Promise<
	{ kind: "found"; found: FoundCollection } | Extract<ToolAnswer<never>, { kind: "choose" }>
>;

/** Why a collection is looked at. */
export type TouchReason = "detail" | "candles" | "stream";
