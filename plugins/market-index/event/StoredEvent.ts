// Defines stored events, and gives each its place in the chain.

import { createHash } from "node:crypto";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import type { MarketEvent } from "#plugins/market-index/event/MarketEvent.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";

/** An event with what the index adds to it before it is stored. */
export type EventRow = Required<NewEvent> & {
	collectionId: number;
	/** `totalRaw` as an ETH equivalent in wei; null while no rate is known. */
	totalNative: bigint | null;
};

/** The stored part of an event: one that was read back serves as well as a new one. */
export type StorableEvent = StoredEvent & { collectionId: number };

/** An event as it is stored, wherever it was read from. */
export type StoredEvent = Omit<ChainEvent, "kind" | "standard" | "reason"> & {
	kind: MarketEvent["eventType"];
	/** Why it is not accepted; null when it is. */
	reason: string | null;
	onchainVerified: boolean;
	/** `totalRaw` as an ETH equivalent in wei; null while no rate is known. */
	totalNative: bigint | null;
	payload: Readonly<Record<string, unknown>> | null;
};

/** The fields that tell one event of the provider from another of the same collection. */
export type ProviderIdentity = {
	kind: "sale" | "mint" | "transfer";
	standard: "erc721" | "erc1155";
	transactionHash: Hex;
	tokenId: bigint;
	from: Address;
	to: Address;
};

/** No chain has this log index: a block of 10^12 gas cannot write so many logs. */
export const PROVIDER_LOG_INDEX = 2 ** 30;

const LOW_30_BITS = 2 ** 30 - 1;
const LOW_31_BITS = 2 ** 31 - 1;

const LOG_INDEX_MAX = 2 ** 20 - 1;
const SUB_INDEX_MAX = 2 ** 10 - 1;

/**
 * Returns the place within its block of an event that only the provider told: a place that no log
 * of a chain has, and the same one however often and by whichever channel the event is told.
 *
 * One transaction moves an ERC-721 token once as a sale, so parties are not part of it there:
 * stream and REST name them differently if an account buys for another. An ERC-1155 token may be
 * bought from several sellers at once. Which of the two parties is the seller is not part of it
 * either.
 */
export function providerPlace(identity: ProviderIdentity): { logIndex: number; subIndex: number } {
	const { kind, standard, transactionHash, tokenId, from, to } = identity;
	const parties = standard === "erc721" ? [] : kind === "mint" ? [to] : [from, to].sort();
	const text = [kind, transactionHash, tokenId, ...parties].join(" ");
	const digest = createHash("sha256").update(text).digest();
	return {
		logIndex: PROVIDER_LOG_INDEX + (digest.readUInt32BE(0) & LOW_30_BITS),
		subIndex: digest.readUInt32BE(4) & LOW_31_BITS,
	};
}

/**
 * Returns an event's place in its chain as one sortable number that fits an `int8`: block, log,
 * item.
 *
 * A chain may grow to 2^33 blocks. Items of one log above 1,023 share their place; only the choice
 * between two sales of one log depends on it. An event that only a provider told has an arbitrary
 * but fixed place in its block.
 */
export function positionOf(event: {
	blockNumber: number;
	logIndex: number;
	subIndex: number;
}): bigint {
	const block = BigInt(event.blockNumber) << 30n;
	if (event.logIndex >= PROVIDER_LOG_INDEX) {
		return block | BigInt(event.logIndex - PROVIDER_LOG_INDEX);
	}
	const log = Math.min(event.logIndex, LOG_INDEX_MAX);
	const sub = Math.min(event.subIndex, SUB_INDEX_MAX);
	return block | BigInt(log * (SUB_INDEX_MAX + 1) + sub);
}
