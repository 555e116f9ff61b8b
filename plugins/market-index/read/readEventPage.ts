import type { Chain } from "#core/chain/Chain.ts";
import type { Queryable } from "#core/db/Database.ts";
import { eventCursor } from "#plugins/market-index/cursor/eventCursor.ts";
import { withCurrencies } from "#plugins/market-index/read/withCurrencies.ts";
import type { MarketEvent } from "#plugins/market-index/render/MarketEvent.ts";
import { type ActivityQuery, readActivity } from "#plugins/market-index/sql/readActivity.ts";

export type EventPage = {
	events: MarketEvent[];
	page: { nextCursor: string | null; hasMore: boolean };
};

/** A page of one collection's events. One more than fits is read, to know whether there are any. */
export async function readEventPage(
	db: Queryable,
	chain: Chain,
	query: Omit<ActivityQuery, "after"> & { cursor: string | undefined },
): Promise<EventPage> {
	const { cursor, limit } = query;
	const after = cursor === undefined ? null : eventCursor.decode(cursor);
	const found = await readActivity(db, { ...query, after, limit: limit + 1 });
	const shown = found.slice(0, limit);
	const last = shown.at(-1);
	const hasMore = found.length > limit;
	return {
		events: await withCurrencies(db, chain, shown),
		page: { nextCursor: hasMore && last ? eventCursor.encode(last) : null, hasMore },
	};
}
