import type { Tx } from "#core/db/Database.ts";

/** "slug" in ASCII: two renames on one chain must not choose the same free slug. */
const SLUG_LOCK_SPACE = 0x736c_7567n << 29n;

/** Tried before giving a name up: `name`, `name-2`, … */
const SUFFIX_MAX = 1_000;

/**
 * Gives a collection the slug it wishes, or that with the first free suffix. A slug that any
 * collection of the chain has, or once had, is not free: old links must not lead elsewhere.
 */
export async function renameCollection(
	tx: Tx,
	options: { chainId: number; collectionId: number; wish: string },
): Promise<string | null> {
	const { chainId, collectionId, wish } = options;
	await tx.execute("select pg_advisory_xact_lock($1)", [SLUG_LOCK_SPACE + BigInt(chainId)]);
	const free = await tx.query<{ slug: string; current: string }>(
		`select candidate.slug, mine.slug as current
		from market_index.collection as mine,
			lateral (
				select case when n = 1 then $3 else $3 || '-' || n end as slug, n
				from generate_series(1, $4) as n
			) as candidate
		where mine.id = $2
			and not exists (
				select from market_index.collection as other
				where other.chain_id = $1 and other.slug = candidate.slug and other.id <> $2
			)
			and not exists (
				select from market_index.former_slug as former
				where former.chain_id = $1 and former.slug = candidate.slug
					and former.collection_id <> $2
			)
		order by candidate.n limit 1`,
		[chainId, collectionId, wish, SUFFIX_MAX],
	);
	const found = free[0];
	if (!found || found.slug === found.current) return found?.slug ?? null;
	await tx.execute(
		`insert into market_index.former_slug (chain_id, slug, collection_id)
		values ($1, $2, $3) on conflict do nothing`,
		[chainId, found.current, collectionId],
	);
	await tx.execute("update market_index.collection set slug = $2 where id = $1", [
		collectionId,
		found.slug,
	]);
	return found.slug;
}
