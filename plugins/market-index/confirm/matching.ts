// Decides whether a provider's event and a stored one are the same.

import { type EventRow, isStandIn } from "#plugins/market-index/event/MarketEvent.ts";

/** Holds the fields that decide whether two sources report the same event. */
export type Matched = Pick<
	ProviderRow,
	"kind" | "transactionHash" | "tokenId" | "from" | "to" | "occurredAtMs"
>;

/** A provider's event as the index would store it, without a block. */
export type ProviderRow = Pick<
	EventRow,
	| "kind"
	| "transactionHash"
	| "occurredAtMs"
	| "contract"
	| "tokenId"
	| "quantity"
	| "from"
	| "to"
	| "venue"
	| "currency"
	| "totalRaw"
	| "accepted"
	| "reason"
> & { payload: Readonly<Record<string, unknown>> };

/** Holds the unique key of the row in `event` for an event that only the provider reported. */
export type EventPlace = {
	blockNumber: number;
	logIndex: number;
	subIndex: number;
	occurredAtMs: number;
};

/** Holds an event that only the provider has reported so far. */
export type Unconfirmed = Matched &
	EventPlace & {
		collectionId: number;
		payload: Readonly<Record<string, unknown>> | null;
	};

/** A stored event. */
export type Candidate = Matched & {
	onchainVerified: boolean;
	accepted: boolean;
	payload: object | null;
};

/** Limits the difference between two sources' times of one event. */
export const MATCH_WINDOW_MS = 600_000;

/**
 * Returns the stored event that a provider's event is about; null where there is none.
 *
 * Where a transaction has several (an ERC-1155 token bought from three sellers; a matched order and
 * its mirror) the accepted one is preferred, then the one between the same two parties, then one
 * without the provider's words. An event that only the provider told with other parties is another
 * event; what the chain told is complete for a transaction.
 */
export function chooseMatch<Stored extends Candidate>(
	told: Matched,
	stored: readonly Stored[],
	standard: "erc721" | "erc1155",
): Stored | null {
	const isWhole = (one: Stored) =>
		one.onchainVerified || standard === "erc721" || one.kind !== told.kind;
	let best: Stored | null = null;
	let bestWorth = -1;
	for (const one of stored) {
		if (!isSameEvent(told, one) || !(isWhole(one) || isBetweenSame(told, one))) continue;
		const worth = worthOf(told, one);
		if (worth > bestWorth) best = one;
		bestWorth = Math.max(worth, bestWorth);
	}
	return best;
}

/**
 * Says whether a provider's event is the stored one, both of one collection. A transfer also
 * matches a mint if both went to the same account (MRG-07). If one side has no transaction hash,
 * the same token between the same two parties at about the same time is the same event.
 */
function isSameEvent(told: Matched, stored: Matched): boolean {
	const isPromoted = told.kind === "transfer" && stored.kind === "mint" && told.to === stored.to;
	if (told.tokenId !== stored.tokenId || (told.kind !== stored.kind && !isPromoted)) return false;
	if (told.transactionHash === stored.transactionHash) return true;
	if (isStandIn(told.transactionHash) === isStandIn(stored.transactionHash)) return false;
	const apartMs = Math.abs(told.occurredAtMs - stored.occurredAtMs);
	return apartMs <= MATCH_WINDOW_MS && (isPromoted || isBetweenSame(told, stored));
}

/**
 * Says whether two events have the same two parties, in either order: the stream names maker and
 * taker, and not the seller.
 */
function isBetweenSame(a: Pick<Matched, "from" | "to">, b: Pick<Matched, "from" | "to">): boolean {
	return (a.from === b.from && a.to === b.to) || (a.from === b.to && a.to === b.from);
}

function worthOf(told: Matched, one: Candidate): number {
	return (
		(one.onchainVerified ? 8 : 0) +
		(one.accepted ? 4 : 0) +
		(isBetweenSame(told, one) ? 2 : 0) +
		(one.payload === null ? 1 : 0)
	);
}
