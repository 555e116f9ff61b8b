import type { Tx } from "#core/db/Database.ts";

/** "pslug" in ASCII: apart from other locks that are made of a hash. */
const PROVIDER_SLUG_LOCK_SPACE = 0x70_736c_7567n << 20n;

/**
 * Ends a sync that succeeded. The provider's slug is taken only where no other contract of the
 * chain has it: two contracts under one slug would each be told the other's events. Answers whether
 * this one has it now. Two that are synced in the same moment wait for each other here.
 */
export async function closeSync(
	tx: Tx,
	sync: { collectionId: number; providerSlug: string | null; at: Date; nextAt: Date },
): Promise<boolean> {
	const { providerSlug } = sync;
	if (providerSlug !== null) {
		await tx.execute(
			`select pg_advisory_xact_lock($2::int8 # hashtextextended(chain_id || ':' || $3, 0))
			from market_index.sync where collection_id = $1`,
			[sync.collectionId, PROVIDER_SLUG_LOCK_SPACE, providerSlug],
		);
	}
	const rows = await tx.query<{ providerSlug: string | null }>(
		`update market_index.sync as mine set
			provider_slug = case when exists (
				select from market_index.sync as other
				where other.chain_id = mine.chain_id and other.provider_slug = $2
					and other.collection_id <> mine.collection_id
			) then null else $2 end,
			named_at = $3, synced_at = $3, failures = 0, failed_code = null, next_at = $4
		where collection_id = $1 returning provider_slug as "providerSlug"`,
		[sync.collectionId, providerSlug, sync.at, sync.nextAt],
	);
	return rows[0]?.providerSlug != null;
}
