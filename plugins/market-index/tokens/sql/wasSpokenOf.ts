import type { Queryable } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";

/** The newest events of a kind that are searched for a token. */
const EVENTS_MAX = 5_000;

/**
 * Says whether one of a collection's newest events is of a token. A token gets its row when the
 * collection's tokens are looked for; one that was sold since then is known by its sale alone.
 *
 * By `event_by_collection`, one branch a kind, the newest first: called only for a token without a
 * row and an owner.
 */
export async function wasSpokenOf(
	db: Queryable,
	collectionId: number,
	tokenId: bigint,
): Promise<boolean> {
	const [row] = await db.query<{ isKnown: boolean }>(
		`select exists (
			select from unnest($3::int2[]) as kinds (kind)
			cross join lateral (
				select token_id from market_index.event
				where collection_id = $1 and kind = kinds.kind
				order by occurred_at desc limit $4
			) as newest
			where newest.token_id = $2::numeric
		) as "isKnown"`,
		[collectionId, tokenId, Object.values(EVENT_KIND), EVENTS_MAX],
	);
	return row?.isKnown ?? false;
}
