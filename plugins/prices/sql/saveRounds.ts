import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Round } from "#plugins/prices/feed/Round.ts";
import type { FeedRef } from "#plugins/prices/sql/FeedRef.ts";

/** Stores rounds under the writers' lock; a round that a fork changed is overwritten. */
export async function saveRounds(tx: Tx, feed: FeedRef, rounds: readonly Round[]): Promise<number> {
	if (rounds.length === 0) return 0;
	return tx.execute(
		`insert into prices.round as kept (chain_id, feed, round_id, answer, updated_at)
		select $1, $2, * from unnest($3::numeric[], $4::numeric[], $5::timestamptz[])
		on conflict (chain_id, feed, round_id) do update set
			answer = excluded.answer, updated_at = excluded.updated_at, change = excluded.change
		where (kept.answer, kept.updated_at) <> (excluded.answer, excluded.updated_at)`,
		[
			feed.feedChainId,
			bytesOf(feed.address),
			rounds.map(({ id }) => id),
			rounds.map(({ answer }) => answer),
			rounds.map(({ updatedAtMs }) => new Date(updatedAtMs)),
		],
	);
}
