import type { Core } from "#core/plugin/Core.ts";
import { REREAD_DELAY_MS } from "#plugins/market-index/tokens/limits.ts";
import { readTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";

/**
 * Has tokens that were reported as changed read again from their own URIs. The reported content is
 * not used, as the contract's own is the better source. Rows are written in the order of their ids,
 * as everywhere that several are written.
 */
export async function tokensChanged(
	{ db, clock, queue }: Pick<Core, "db" | "clock" | "queue">,
	collectionId: number,
	tokenIds: readonly bigint[],
): Promise<void> {
	const distinct = [...new Set(tokenIds)];
	if (distinct.length === 0) return;
	await db.transaction(async (tx) => {
		await tx.execute(
			`insert into market_index.token (collection_id, token_id, next_at)
			select c.id, given.id, $3
			from market_index.collection as c, unnest($2::numeric[]) as given (id)
			where c.id = $1 order by given.id
			on conflict (collection_id, token_id) do update set next_at = excluded.next_at`,
			[collectionId, distinct, new Date(clock.nowMs())],
		);
		await queue.add(tx, [
			readTokensJob(collectionId, { delayMs: REREAD_DELAY_MS, keepsTime: true }),
		]);
	});
}
