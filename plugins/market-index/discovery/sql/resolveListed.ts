import type { Queryable } from "#core/db/Database.ts";
import type { ListedRow } from "#plugins/market-index/discovery/ListedRow.ts";

/** A listed row with the collection of ours that it is; null where there is none. */
export type ResolvedRow = {
	listed: ListedRow;
	own: { id: number; chainId: number; excluded: boolean } | null;
	/** The chain it is on: as our index says, else as the provider does; null where nobody does. */
	chainId: number | null;
};

/**
 * Finds the collections that listed rows are: by contract, and where the provider names none by its
 * slug, which our own rows remember. A slug that several chains hold names none of them.
 */
export async function resolveListed(
	db: Queryable,
	rows: readonly ListedRow[],
): Promise<ResolvedRow[]> {
	if (rows.length === 0) return [];
	const found = await db.query<{ place: number; id: number; chainId: number; excluded: boolean }>(
		`select given.place::int4, own.id, own.chain_id as "chainId", own.excluded
		from unnest($1::text[], $2::int8[], $3::bytea[]) with ordinality
			as given (slug, chain_id, address, place)
		cross join lateral (
			select c.id, c.chain_id, c.excluded from market_index.collection as c
			where given.address is not null and c.chain_id = given.chain_id
				and c.address = given.address
			union all
			select c.id, c.chain_id, c.excluded from market_index.sync as s
			join market_index.collection as c on c.id = s.collection_id
			where given.address is null and s.provider_slug = given.slug
		) as own`,
		[
			rows.map(({ slug }) => slug),
			rows.map(({ chainId }) => chainId),
			rows.map(({ address }) => address && Buffer.from(address.slice(2), "hex")),
		],
	);
	const byPlace = Map.groupBy(found, ({ place }) => place - 1);
	return rows.map((listed, place) => {
		const [own = null, another] = byPlace.get(place) ?? [];
		const only = another ? null : own;
		return { listed, own: only, chainId: only?.chainId ?? listed.chainId };
	});
}
