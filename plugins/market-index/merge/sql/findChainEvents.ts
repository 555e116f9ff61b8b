import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Candidate } from "#plugins/market-index/confirm/chooseMatch.ts";
import { MATCH_WINDOW_MS } from "#plugins/market-index/confirm/limits.ts";
import type { Matched } from "#plugins/market-index/confirm/Matched.ts";
import type { EventPlace } from "#plugins/market-index/confirm/Unconfirmed.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import { isStandIn } from "#plugins/market-index/event/isStandIn.ts";
import {
	EVENT_COLUMNS,
	type EventColumns,
	eventOf,
} from "#plugins/market-index/sql/eventColumns.ts";

export type StoredCandidate = Candidate & EventPlace;

/**
 * Returns a collection's stored events that may be these, or events of the same token at about that
 * time where the provider named no transaction.
 *
 * By `event_by_collection` (collection, kind, time) in the spans of time around the events; spans
 * that touch are joined, so nothing is read twice.
 */
export async function findChainEvents(
	db: Queryable,
	collectionId: number,
	told: readonly Matched[],
): Promise<StoredCandidate[]> {
	const spans = spansOf(told.map(({ occurredAtMs }) => occurredAtMs));
	const hashes = new Set<Hex>();
	const tokens = new Set<bigint>();
	const kinds = new Set<number>();
	for (const { kind, transactionHash, tokenId } of told) {
		hashes.add(transactionHash);
		if (isStandIn(transactionHash)) tokens.add(tokenId);
		kinds.add(EVENT_KIND[kind]);
		if (kind === "transfer") kinds.add(EVENT_KIND.mint);
	}
	const rows = await db.query<EventColumns>(
		`select ${EVENT_COLUMNS}
		from unnest($2::timestamptz[], $3::timestamptz[]) as span (low, high)
		cross join lateral (
			select * from market_index.event as e
			where e.collection_id = $1 and e.kind = any($4::int2[])
				and e.occurred_at >= span.low and e.occurred_at <= span.high
				and (e.transaction_hash = any($5::bytea[]) or e.token_id = any($6::numeric[])
					or e.transaction_hash < '\\x0000000000000001')
		) as e
		join market_index.collection as c on c.id = e.collection_id`,
		[
			collectionId,
			spans.map(({ fromMs }) => new Date(fromMs)),
			spans.map(({ toMs }) => new Date(toMs)),
			[...kinds],
			[...hashes].map(bytesOf),
			[...tokens],
		],
	);
	return rows.map(eventOf);
}

/** Returns the window around each time; overlapping ones joined. */
function spansOf(timesMs: readonly number[]): { fromMs: number; toMs: number }[] {
	const spans: { fromMs: number; toMs: number }[] = [];
	for (const atMs of [...timesMs].sort((a, b) => a - b)) {
		const last = spans.at(-1);
		const toMs = atMs + MATCH_WINDOW_MS;
		if (last && atMs - MATCH_WINDOW_MS <= last.toMs) last.toMs = toMs;
		else spans.push({ fromMs: atMs - MATCH_WINDOW_MS, toMs });
	}
	return spans;
}
