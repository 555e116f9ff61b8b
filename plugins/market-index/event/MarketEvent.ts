// Defines events and orders as the market shows them, and cursors of their lists.

import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { CURSOR_PART, type Cursor, type CursorScope, createCursor } from "#core/http/pages.ts";

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

/** What applying a batch needs to know of a collection. */
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
	/** Why it is not accepted; null when it is. */
	reason: string | null;
	onchainVerified: boolean;
	/** Null where only the provider told it, without its transaction. */
	transactionHash: Hex | null;
	/** Null, as is `logIndex`, where only the provider told it, as it does not state them. */
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
	/** For all units, exact. */
	totalRaw: string | null;
	settlementCurrency: SettlementCurrency | null;
	occurredAt: string;
	imageUrl: string | null;
	traits: unknown[] | null;
	providerPayload: Readonly<Record<string, unknown>> | null;
};

const DATE_MS_MAX = 8_640_000_000_000_000;
const INT4_MAX = 2_147_483_647;
const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;
const { count, integer } = CURSOR_PART;

/** How the table `market_order` numbers its kinds. */
export const ORDER_KINDS = ["listing", "item_offer", "collection_offer", "trait_offer"] as const;

export type OrderKind = (typeof ORDER_KINDS)[number];

/** How kinds are stored. */
export const EVENT_KIND = { sale: 1, mint: 2, transfer: 3 } as const;

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
 * Says whether a hash is a stand-in: it begins with 8 zero bytes, which one of 2^64 transactions'
 * hashes does.
 */
export function isStandIn(hash: Hex): boolean {
	return hash.startsWith("0x0000000000000000");
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
