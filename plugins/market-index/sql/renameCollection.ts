import type { Tx } from "#core/db/Database.ts";

/** "slug" in ASCII: two renames on one chain must not choose the same free slug. */
const SLUG_LOCK_SPACE = 0x736c_7567n << 29n;

/** Tried before giving a name up: `name`, `name-2`, … */
const SUFFIX_MAX = 1_000;

/**
 * Gives a collection the slug it wishes, or that with the first free suffix. A slug that any
 * collection of the chain has, or once had, is not free: old links must not lead elsewhere.
 *
 * Each candidate is looked up by unique index, one after the other: nearly always the first is
 * free, and a chain with thousands of collections must not be read for each of them. Both
 * statements leave together; the second sees what was committed before it had the lock.
 */
export async function renameCollection(
	tx: Tx,
	options: { chainId: number; collectionId: number; wish: string },
): Promise<string | null> {
	const { chainId, collectionId, wish } = options;
	const [, rows] = await Promise.all([
		tx.execute("select pg_advisory_xact_lock($1)", [SLUG_LOCK_SPACE + BigInt(chainId)]),
		tx.query<{ slug: string }>(
			`with recursive tried as (
				select 1 as n, $3::text as slug, ${isTaken("$3::text")} as taken
				from market_index.collection where id = $2
				union all
				select n + 1, next.slug, ${isTaken("next.slug")}
				from tried, lateral (select $3::text || '-' || (n + 1) as slug) as next
				where taken and n < $4::int4
			), chosen as (
				select slug from tried where not taken
			), left_behind as (
				insert into market_index.former_slug (chain_id, slug, collection_id)
				select $1, mine.slug, mine.id from market_index.collection as mine, chosen
				where mine.id = $2 and mine.slug <> chosen.slug
				on conflict do nothing
			), renamed as (
				update market_index.collection as mine set slug = chosen.slug
				from chosen where mine.id = $2 and mine.slug <> chosen.slug
			)
			select slug from chosen`,
			[chainId, collectionId, wish, SUFFIX_MAX],
		),
	]);
	return rows[0]?.slug ?? null;
}

function isTaken(slug: string): string {
	return `(exists (
		select from market_index.collection as other
		where other.chain_id = $1 and other.slug = ${slug} and other.id <> $2
	) or exists (
		select from market_index.former_slug as former
		where former.chain_id = $1 and former.slug = ${slug} and former.collection_id <> $2
	))`;
}
