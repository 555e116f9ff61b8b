import { bytesOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import {
	anyUnconfirmed,
	findUnconfirmed,
	takeOutUnconfirmed,
} from "#plugins/market-index/confirm/unconfirmed.ts";
import { isStandIn } from "#plugins/market-index/event/MarketEvent.ts";
import type { EventRow } from "#plugins/market-index/event/StoredEvent.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import type { TakenBack } from "#plugins/market-index/sql/events.ts";

/** The fields that decide whether two sources tell of one event. */
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

/** The unique key of the row in `event` for what only the provider told. */
export type EventPlace = {
	blockNumber: number;
	logIndex: number;
	subIndex: number;
	occurredAtMs: number;
};

/** An event that only the provider told so far. */
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

/** Finds what the provider told before of a batch, and puts the batch in its place. */
export type Confirmer = {
	/** Returns what only the provider told of the batch's transactions. Under the chain's lock. */
	find(db: Queryable, batch: { chainId: number; events: readonly NewEvent[] }): Promise<Told>;
	/** Adds the provider's words to rows; returns the events that they replace. */
	take(tx: Tx, chainId: number, told: Told, rows: EventRow[]): Promise<readonly TakenBack[]>;
};

export type Told = readonly Unconfirmed[];

/** How much two sources may differ about an event's time. */
export const MATCH_WINDOW_MS = 600_000;

const NOTHING: readonly TakenBack[] = [];

/**
 * Makes a confirmer with one statement for each batch, sent with the batch's own first one. Without
 * a provider it asks once for each chain whether there ever was one, and then never again.
 */
export function createConfirmer({ hasProvider }: { hasProvider: boolean }): Confirmer {
	const silent = new Set<number>();
	return {
		async find(db, { chainId, events }) {
			if (silent.has(chainId)) return [];
			if (!hasProvider && !(await anyUnconfirmed(db, chainId))) {
				silent.add(chainId);
				return [];
			}
			const transactions = new Set(events.map(({ transactionHash }) => transactionHash));
			const contracts = new Set(events.map(({ contract }) => contract));
			return findUnconfirmed(db, { chainId, transactions, contracts });
		},
		async take(tx, chainId, told, rows) {
			if (told.length === 0) return NOTHING;
			const byToken = new Map<string, EventRow[]>();
			for (const row of rows) {
				const list = byToken.get(keyOf(row));
				if (list) list.push(row);
				else byToken.set(keyOf(row), [row]);
			}
			const confirmed = told.filter((one) => confirm(one, byToken.get(keyOf(one)) ?? []));
			if (confirmed.length === 0) return NOTHING;
			const places = confirmed.map((one) => ({
				...one,
				transaction: bytesOf(one.transactionHash),
			}));
			return takeOutUnconfirmed(tx, chainId, places);
		},
	};
}

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
export function isSameEvent(told: Matched, stored: Matched): boolean {
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
export function isBetweenSame(
	a: Pick<Matched, "from" | "to">,
	b: Pick<Matched, "from" | "to">,
): boolean {
	return (a.from === b.from && a.to === b.to) || (a.from === b.to && a.to === b.from);
}

function keyOf({ collectionId, tokenId }: Pick<EventRow, "collectionId" | "tokenId">): string {
	return `${collectionId}:${tokenId}`;
}

/**
 * Adds the provider's words to the row of the same event; false where there is none. What the
 * provider told of a mint replaces the mint's transfer, and nothing else.
 */
function confirm(told: Unconfirmed, rows: readonly EventRow[]): boolean {
	const candidates = rows.filter((row) => row.onchainVerified || row.kind !== told.kind);
	const match = chooseMatch(told, candidates, candidates[0]?.standard ?? "erc721");
	if (match) match.payload ??= told.payload;
	return match !== null;
}

function worthOf(told: Matched, one: Candidate): number {
	return (
		(one.onchainVerified ? 8 : 0) +
		(one.accepted ? 4 : 0) +
		(isBetweenSame(told, one) ? 2 : 0) +
		(one.payload === null ? 1 : 0)
	);
}
