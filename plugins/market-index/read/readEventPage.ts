import type { Chain } from "#core/chain/Chain.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { EventCursor } from "#plugins/market-index/cursor/eventCursor.ts";
import type { PageRange } from "#plugins/market-index/figures/pageCoverage.ts";
import { withCurrencies } from "#plugins/market-index/read/withCurrencies.ts";
import { type TokenEvents, withTokens } from "#plugins/market-index/read/withTokens.ts";
import { type ActivityQuery, readActivity } from "#plugins/market-index/sql/readActivity.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type EventPage = TokenEvents & {
	page: { nextCursor: string | null; hasMore: boolean };
	/** The time that it is about. */
	range: PageRange;
};

/**
 * Returns a page of one collection's events. One more than fits is read, to know whether more
 * exist.
 */
export async function readEventPage(
	reads: { db: Queryable; prices: Pick<Prices, "ethUsd"> },
	chain: Chain,
	query: Omit<ActivityQuery, "after"> & {
		cursors: EventCursor;
		cursor: string | undefined;
		nowMs: number;
	},
): Promise<EventPage> {
	const { cursors, cursor, limit, since, nowMs } = query;
	const after = cursor === undefined ? null : cursors.decode(cursor);
	const found = await readActivity(reads.db, { ...query, after, limit: limit + 1 });
	const shown = found.slice(0, limit);
	const last = shown.at(-1);
	const hasMore = found.length > limit;
	return {
		...(await withTokens(reads.db, query.collectionId, await withCurrencies(reads, chain, shown))),
		page: { nextCursor: hasMore && last ? cursors.encode(last) : null, hasMore },
		range: {
			fromMs: hasMore && last ? last.occurredAtMs : (since?.getTime() ?? null),
			untilMs: Math.min(after?.occurredAtMs ?? nowMs, nowMs),
		},
	};
}
