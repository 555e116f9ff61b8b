// Names the types that every part of the index shares, and the topics of its streams.

import type { Address } from "#core/chain/Hex.ts";
import type { ToolAnswer } from "#core/plugin/Tool.ts";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";

/** Holds an event to store: read by a lane, or reported by another source. */
export type NewEvent = Omit<ChainEvent, "kind"> & {
	kind: "sale" | "mint" | "transfer";
	/**
	 * False for an event that only a provider reported. Left out: it was read from the chain itself.
	 */
	onchainVerified?: boolean;
	/**
	 * The provider's own payload, as JSON; null, or left out, for an event that no provider reported.
	 */
	payload?: Readonly<Record<string, unknown>> | null;
};

export type NewEvents = {
	chainId: number;
	/** True near the head: frames go out one by one. */
	live: boolean;
	/** True for one collection's past from a provider: the discover page is then not read again. */
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

/** Names why a collection is watched: what a client reads of it. */
export type TouchReason = "detail" | "candles" | "stream";
