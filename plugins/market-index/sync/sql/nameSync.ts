import type { Tx } from "#core/db/Database.ts";

/** "pslug" in ASCII: keeps this lock apart from others that are made from a hash. */
const PROVIDER_SLUG_LOCK_SPACE = 0x70_736c_7567n << 20n;

const IS_SAME = "mine.provider_slug is not distinct from $2";

/**
 * Stores the provider's slug of a collection, and returns whether the collection has it now. It
 * gets a slug only where no other contract of the chain has it: otherwise two contracts would each
 * get the other's events. Two that are synced at the same moment wait for each other here.
 *
 * A walk under another slug ends: a new one begins, and the holder of the old turn changes nothing
 * any more.
 */
export async function nameSync(
	tx: Tx,
	sync: { collectionId: number; providerSlug: string | null; at: Date },
): Promise<boolean> {
	const { collectionId, providerSlug, at } = sync;
	if (providerSlug !== null) {
		await tx.execute(
			`select pg_advisory_xact_lock($2::int8 # hashtextextended(chain_id || ':' || $3, 0))
			from market_index.sync where collection_id = $1`,
			[collectionId, PROVIDER_SLUG_LOCK_SPACE, providerSlug],
		);
	}
	const rows = await tx.query<{ providerSlug: string | null }>(
		`update market_index.sync as mine set named_at = $3,
			provider_slug = case when exists (
				select from market_index.sync as other
				where other.chain_id = mine.chain_id and other.provider_slug = $2
					and other.collection_id <> mine.collection_id
			) then null else $2 end,
			walk_from = case when ${IS_SAME} then walk_from end,
			walk_until = case when ${IS_SAME} then walk_until end,
			walk_reached = case when ${IS_SAME} then walk_reached end,
			walk_cursor = case when ${IS_SAME} then walk_cursor end,
			walk_hole = case when ${IS_SAME} then walk_hole end,
			walk_failures = case when ${IS_SAME} then walk_failures else 0 end,
			walk_pages = case when ${IS_SAME} then walk_pages else 0 end,
			walk_idle = case when ${IS_SAME} then walk_idle else 0 end,
			book_progress = case when ${IS_SAME} then book_progress end,
			events_newest = case when ${IS_SAME} then events_newest end,
			turn = turn + case when ${IS_SAME} then 0 else 1 end,
			turn_until = case when ${IS_SAME} then turn_until end
		where collection_id = $1 returning provider_slug as "providerSlug"`,
		[collectionId, providerSlug, at],
	);
	return rows[0]?.providerSlug != null;
}
