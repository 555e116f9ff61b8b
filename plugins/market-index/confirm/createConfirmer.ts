// Replaces events that only the provider told by the chain's.

import { bytesOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { chooseMatch, type Unconfirmed } from "#plugins/market-index/confirm/matching.ts";
import {
	anyUnconfirmed,
	findUnconfirmed,
	takeOutUnconfirmed,
} from "#plugins/market-index/confirm/unconfirmed.ts";
import type { EventRow } from "#plugins/market-index/event/MarketEvent.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import type { TakenBack } from "#plugins/market-index/sql/events.ts";

/** Finds what the provider told before of a batch, and puts the batch in its place. */
export type Confirmer = {
	/** Returns what only the provider told of the batch's transactions. Under the chain's lock. */
	find(db: Queryable, batch: { chainId: number; events: readonly NewEvent[] }): Promise<Told>;
	/** Adds the provider's words to rows; returns the events that they replace. */
	take(tx: Tx, chainId: number, told: Told, rows: EventRow[]): Promise<readonly TakenBack[]>;
};

type Told = readonly Unconfirmed[];

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
