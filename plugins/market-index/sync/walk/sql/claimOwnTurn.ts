import type { Queryable } from "#core/db/Database.ts";
import { TURN_MS, TURN_REST_MAX_MS } from "#plugins/market-index/sync/limits.ts";
import type { ClaimedTurn } from "#plugins/market-index/sync/walk/ClaimedTurn.ts";
import { isFree } from "#plugins/market-index/sync/walk/sql/isFree.ts";
import { TURN_COLUMNS, type TurnRow, turnOf } from "#plugins/market-index/sync/walk/sql/turnRow.ts";

/**
 * Claims the turn of one collection. Null where another worker has it, where it rests after a page
 * that did not arrive, or where its slug is not known.
 */
export async function claimOwnTurn(
	db: Queryable,
	{ collectionId, nowMs }: { collectionId: number; nowMs: number },
): Promise<ClaimedTurn | null> {
	const rows = await db.query<TurnRow>(
		`update market_index.sync as s
		set lean_at = $2, turn = s.turn + 1, turn_until = $3
		from (
			select collection_id, lean_at from market_index.sync as mine
			where collection_id = $1 and provider_slug is not null and ${isFree("mine")}
				and (lean_at is null or lean_at <= $2
					or lean_at > $2::timestamptz + interval '${TURN_REST_MAX_MS} ms')
			for update
		) as taken
		join market_index.collection as c on c.id = taken.collection_id and not c.excluded
		where s.collection_id = taken.collection_id
		returning ${TURN_COLUMNS}, taken.lean_at as "leanAt", null::timestamptz as "levelFrom"`,
		[collectionId, new Date(nowMs), new Date(nowMs + TURN_MS)],
	);
	return rows[0] ? turnOf(rows[0]) : null;
}
