import type { Queryable } from "#core/db/Database.ts";
import type { ProviderRow } from "#plugins/market-index/confirm/ProviderRow.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import type { Neighbour } from "#plugins/market-index/merge/blockBetween.ts";

export type Neighbours = { before: Neighbour | null; after: Neighbour | null };

type Row = {
	beforeBlock: number | null;
	beforeAt: Date | null;
	afterBlock: number | null;
	afterAt: Date | null;
};

/**
 * Returns for each event the stored ones of its collection and kind before and after it in time:
 * two look-ups in `event_by_collection` each. The same time counts as before.
 */
export async function findNeighbours(
	db: Queryable,
	collectionId: number,
	rows: readonly Pick<ProviderRow, "kind" | "occurredAtMs">[],
): Promise<Neighbours[]> {
	if (rows.length === 0) return [];
	const found = await db.query<Row>(
		`select low.block_number as "beforeBlock", low.occurred_at as "beforeAt",
			high.block_number as "afterBlock", high.occurred_at as "afterAt"
		from unnest($2::int2[], $3::timestamptz[]) with ordinality as given (kind, at, place)
		left join lateral (
			select e.block_number, e.occurred_at from market_index.event as e
			where e.collection_id = $1 and e.kind = given.kind and e.occurred_at <= given.at
			order by e.occurred_at desc limit 1
		) as low on true
		left join lateral (
			select e.block_number, e.occurred_at from market_index.event as e
			where e.collection_id = $1 and e.kind = given.kind and e.occurred_at > given.at
			order by e.occurred_at limit 1
		) as high on true
		order by given.place`,
		[
			collectionId,
			rows.map(({ kind }) => EVENT_KIND[kind]),
			rows.map(({ occurredAtMs }) => new Date(occurredAtMs)),
		],
	);
	return found.map(({ beforeBlock, beforeAt, afterBlock, afterAt }) => ({
		before: neighbour(beforeBlock, beforeAt),
		after: neighbour(afterBlock, afterAt),
	}));
}

function neighbour(blockNumber: number | null, at: Date | null): Neighbour | null {
	return blockNumber === null || at === null ? null : { blockNumber, occurredAtMs: at.getTime() };
}
