import type { Queryable } from "#core/db/Database.ts";
import { DEPTH_LEVELS_MAX } from "#plugins/market-index/book/limits.ts";

/** Orders of one price; `unitNative` is null for those whose price in ETH is unknown. */
export type DepthLevel = { unitNative: string | null; orders: number; units: string };
const SUMS = `count(*)::int4 as orders, sum(quantity) as units
	from market_index.market_order
	where collection_id = $1 and is_active and kind = $2 and not is_private
		and (starts_at is null or starts_at <= $3) and (expires_at is null or expires_at > $3)`;

export type Depth = { asks: DepthLevel[]; bids: DepthLevel[] };

/**
 * Returns the best price levels of both sides. Offers on the collection are bids, as they take any
 * token; offers on one token or on traits are not, as they take only some. Orders in a coin without
 * a rate are one more level, the last: without it a book would look empty.
 */
export async function readDepth(
	db: Queryable,
	{ collectionId, nowMs }: { collectionId: number; nowMs: number },
): Promise<Depth> {
	const side = (kind: number, order: "asc" | "desc") =>
		db.query<DepthLevel>(
			`(select unit_native as "unitNative", ${SUMS} and unit_native is not null
				group by unit_native order by unit_native ${order} limit ${DEPTH_LEVELS_MAX})
			union all
			select null, ${SUMS} and unit_native is null having count(*) > 0`,
			[collectionId, kind, new Date(nowMs)],
		);
	const [asks, bids] = await Promise.all([side(0, "asc"), side(2, "desc")]);
	return { asks, bids };
}
