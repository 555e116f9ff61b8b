import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Round } from "#plugins/prices/feed/Round.ts";
import type { FeedRef } from "#plugins/prices/sql/FeedRef.ts";

/** Returns the stored round with the greatest id, at or below one, by primary key. */
export async function readNewestRound(
	db: Queryable,
	feed: FeedRef,
	upTo: bigint | null = null,
): Promise<Round | null> {
	const rows = await db.query<{ id: string; answer: string; updatedAt: Date }>(
		`select round_id as id, answer, updated_at as "updatedAt" from prices.round
		where chain_id = $1 and feed = $2 and ($3::numeric is null or round_id <= $3)
		order by round_id desc limit 1`,
		[feed.feedChainId, bytesOf(feed.address), upTo],
	);
	const [row] = rows;
	if (!row) return null;
	return {
		id: BigInt(row.id),
		answer: BigInt(row.answer),
		updatedAtMs: row.updatedAt.getTime(),
	};
}
