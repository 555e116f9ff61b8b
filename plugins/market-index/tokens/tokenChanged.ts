import type { Core } from "#core/plugin/Core.ts";
import { REREAD_DELAY_MS } from "#plugins/market-index/tokens/limits.ts";
import { readTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";

/**
 * Somebody says that a token's metadata changed: it is read again from its own URI. What was said
 * is not taken for it, as the contract itself knows better.
 */
export async function tokenChanged(
	{ db, clock, queue }: Pick<Core, "db" | "clock" | "queue">,
	collectionId: number,
	tokenId: bigint,
): Promise<void> {
	await db.transaction(async (tx) => {
		await tx.execute(
			`insert into market_index.token (collection_id, token_id, next_at)
			select id, $2, $3 from market_index.collection where id = $1
			on conflict (collection_id, token_id) do update set next_at = excluded.next_at`,
			[collectionId, tokenId, new Date(clock.nowMs())],
		);
		await queue.add(tx, [
			readTokensJob(collectionId, { delayMs: REREAD_DELAY_MS, keepsTime: true }),
		]);
	});
}
