import type { Queryable } from "#core/db/Database.ts";
import { ROUNDS_PER_PRUNE_MAX } from "#plugins/prices/limits.ts";

/**
 * Deletes rounds from before a time, except each feed's newest: the next one is read from there.
 * Gaps after deleted rounds go too, and so no price reaches over one. Returns how many rounds were
 * deleted.
 */
export async function pruneRounds(db: Queryable, before: Date): Promise<number> {
	const pruned = await db.execute(
		`delete from prices.round where (chain_id, feed, round_id) in (
			select old.chain_id, old.feed, old.round_id from prices.round as old
			where old.updated_at < $1 and exists (
				select from prices.round as newer
				where newer.chain_id = old.chain_id and newer.feed = old.feed
					and newer.round_id > old.round_id
			)
			limit $2
		)`,
		[before, ROUNDS_PER_PRUNE_MAX],
	);
	await db.execute(
		`delete from prices.gap as gone where not is_open and below > 0 and not exists (
			select from prices.round as kept
			where kept.chain_id = gone.chain_id and kept.feed = gone.feed
				and kept.round_id <= gone.below
		)`,
	);
	return pruned;
}
