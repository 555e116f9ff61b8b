// Defines events as the market shows them and as they are stored, with their place in the chain.

import { createHash } from "node:crypto";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { CURSOR_PART, type Cursor, type CursorScope, createCursor } from "#core/http/pages.ts";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";

/** The end of a page of events: the place of its last event, newest first. */
export type EventPlace = {
	occurredAtMs: number;
	blockNumber: number;
	logIndex: number;
	subIndex: number;
};

/** Cursors of one list of events, for one collection and its filters. */
export type EventCursor = {
	encode(place: EventPlace): string;
	decode(cursor: string): EventPlace;
};

/** A listing or an offer as it is stored. */
export type BookOrder = {
	orderHash: Hex;
	kind: OrderKind;
	tokenId: string | null;
	maker: Address;
	quantity: string;
	currency: Address | null;
	symbol: string;
	decimals: number;
	totalRaw: string;
	/** The price of one unit in wei of ETH; null where the currency has no exchange rate. */
	unitNative: string | null;
	protocolAddress: Address | null;
	criteria: { type: string; value: string }[];
	isPrivate: boolean;
	startsAt: Date | null;
	expiresAt: Date | null;
	seenAt: Date;
};

/** Known ERC-20s by address; see the table `currency`. */
export type Currencies = ReadonlyMap<Address, { symbol: string | null; decimals: number | null }>;

/** Holds what applying a batch needs to know of a collection. */
export type KnownCollection = {
	id: number;
	address: Address;
	slug: string;
	name: string | null;
	imageUrl: string | null;
	excluded: boolean;
	/** True: it was registered by the call that returns it. */
	isNew: boolean;
};

/** The currency of an amount. `symbol` and `decimals` are null until the contract was asked. */
export type SettlementCurrency = {
	symbol: string | null;
	/** The zero address for the chain's native currency. */
	address: Address;
	decimals: number | null;
};

/** A sale, mint or transfer as routes and streams show it. */
export type MarketEvent = {
	/**
	 * Identifies the event and its block: after a reorg the same log in another block has another id.
	 */
	id: string;
	chain: string;
	contractAddress: Address;
	eventType: "sale" | "mint" | "transfer";
	accepted: boolean;
	/** The reason why it does not count, or a note on one that does; null: neither. */
	reason: string | null;
	onchainVerified: boolean;
	/** Null where only the provider reported it, without its transaction. */
	transactionHash: Hex | null;
	/** Null, as is `logIndex`, where only the provider reported it, without its block. */
	blockNumber: number | null;
	logIndex: number | null;
	tokenId: string;
	quantity: string;
	/** A sale's seller. */
	from: Address;
	/** A sale's buyer. */
	to: Address;
	venue: string | null;
	/** Per unit, an ETH equivalent; null while unknown, 0 when free. */
	priceNative: number | null;
	priceUsd: number | null;
	/** Per unit, in base units of the settlement currency; null for an unknown price. */
	amountRaw: string | null;
	/** The price of all units, exact. */
	totalRaw: string | null;
	settlementCurrency: SettlementCurrency | null;
	occurredAt: string;
	imageUrl: string | null;
	traits: unknown[] | null;
	providerPayload: Readonly<Record<string, unknown>> | null;
};

// Defines stored events, and gives each its place in the chain.

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
	/** The reason why it does not count, or a note on one that does; null: neither. */
	reason: string | null;
	onchainVerified: boolean;
	/** `totalRaw` as an ETH equivalent in wei; null while no rate is known. */
	totalNative: bigint | null;
	payload: Readonly<Record<string, unknown>> | null;
};

/** Holds the fields that distinguish the provider's events of one collection. */
export type ProviderIdentity = {
	kind: "sale" | "mint" | "transfer";
	standard: "erc721" | "erc1155";
	transactionHash: Hex;
	tokenId: bigint;
	from: Address;
	to: Address;
};

/** The latest time that a `Date` can hold, in ms since 1970. */
export const DATE_MS_MAX = 8_640_000_000_000_000;
const INT4_MAX = 2_147_483_647;
const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;
const { count, integer } = CURSOR_PART;

/** Numbers the kinds of orders in the table `market_order`, by index. */
export const ORDER_KINDS = ["listing", "item_offer", "collection_offer", "trait_offer"] as const;

export type OrderKind = (typeof ORDER_KINDS)[number];

/**
 * Numbers why orders ended, in the table `market_order`. `gone`: the provider told that it was
 * cancelled or cannot be filled. `missing`: it is not in the provider's book any more, and nobody
 * says why.
 */
export const RETIRED_AS = { expired: 1, filled: 2, gone: 3, missing: 4 } as const;

/** Numbers the kinds of events in the database. */
export const EVENT_KIND = { sale: 1, mint: 2, transfer: 3 } as const;

/** Marks events without a known log index: no block can have so many logs. */
export const PROVIDER_LOG_INDEX = 2 ** 30;

const LOW_30_BITS = 2 ** 30 - 1;
const LOW_31_BITS = 2 ** 31 - 1;

const LOG_INDEX_MAX = 2 ** 20 - 1;
const SUB_INDEX_MAX = 2 ** 10 - 1;

/**
 * Makes the cursors of a list of events. A larger value than the database can hold is cut to that:
 * no event is beyond it, so none is left out.
 */
export function createEventCursor(mark: string): { of(scope: CursorScope): EventCursor } {
	const cursors = createCursor(mark, [count, integer, count, count]);
	return { of: (scope) => eventCursorOver(cursors.of(scope)) };
}

/** Returns the ERC-20s that events were paid in, each once: those whose names must be looked up. */
export function foreignCurrencies(events: Iterable<{ currency: Address | null }>): Address[] {
	const foreign = new Set<Address>();
	for (const { currency } of events) {
		if (currency !== null && currency !== ZERO_ADDRESS) foreign.add(currency);
	}
	return [...foreign];
}

/**
 * Returns whether a hash is a stand-in: it begins with 8 zero bytes, which a real hash has once in
 * 2^64.
 */
export function isStandIn(hash: Hex): boolean {
	return hash.startsWith("0x0000000000000000");
}

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

function eventCursorOver(bound: Cursor): EventCursor {
	return {
		encode({ occurredAtMs, blockNumber, logIndex, subIndex }) {
			return bound.encode([occurredAtMs, blockNumber, logIndex, subIndex].map(String));
		},
		decode(cursor) {
			const [occurredAtMs = 0, blockNumber = 0, logIndex = 0, subIndex = 0] = bound
				.decode(cursor)
				.map(Number);
			return {
				occurredAtMs: Math.min(occurredAtMs, DATE_MS_MAX),
				blockNumber: Math.max(MIN_SAFE_INTEGER, Math.min(blockNumber, MAX_SAFE_INTEGER)),
				logIndex: Math.min(logIndex, INT4_MAX),
				subIndex: Math.min(subIndex, INT4_MAX),
			};
		},
	};
}
