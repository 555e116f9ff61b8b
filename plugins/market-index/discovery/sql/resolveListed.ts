import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { ListedRow } from "#plugins/market-index/register/ListedRow.ts";

/** A listed row with its collection in the index; null where there is none. */
export type ResolvedRow = {
	listed: ListedRow;
	own: OwnPlace | null;
	/** Its chain, by our index, else by the provider; null where neither knows. */
	chainId: number | null;
};

type OwnPlace = { id: number; chainId: number; excluded: boolean };

/** A collection that a listed row may be; its slug is the provider's, null before any sync. */
type Candidate = OwnPlace & { place: number; isContract: boolean; slug: string | null };

/**
 * Finds the collections of listed rows. Our own index comes first, even where the provider names a
 * contract: a provider's chain may be another one's, or wrong.
 *
 * Contracts by `collection_chain_id_address_key`, slugs by `sync_slug`.
 */
export async function resolveListed(
	db: Queryable,
	rows: readonly ListedRow[],
): Promise<ResolvedRow[]> {
	if (rows.length === 0) return [];
	const found = await db.query<Candidate>(
		`select given.place::int4, own.*
		from unnest($1::text[], $2::int8[], $3::bytea[]) with ordinality
			as given (slug, chain_id, address, place)
		cross join lateral (
			select c.id, c.chain_id as "chainId", c.excluded, true as "isContract",
				s.provider_slug as slug
			from market_index.collection as c
			left join market_index.sync as s on s.collection_id = c.id
			where c.chain_id = given.chain_id and c.address = given.address
			union all
			select c.id, c.chain_id, c.excluded, false, s.provider_slug
			from market_index.sync as s
			join market_index.collection as c on c.id = s.collection_id
			where s.provider_slug = given.slug
		) as own`,
		[
			rows.map(({ slug }) => slug),
			rows.map(({ chainId }) => chainId),
			rows.map(({ address }) => address && bytesOf(address)),
		],
	);
	const byPlace = Map.groupBy(found, ({ place }) => place - 1);
	return rows.map((listed, place) => {
		const own = choose(listed, byPlace.get(place) ?? []);
		return { listed, own, chainId: own?.chainId ?? listed.chainId };
	});
}

/**
 * Chooses our collection for a listed row: by the contract that the row names, then by chain and
 * slug, then by the slug alone where only one chain has it. A contract that we know under another
 * slug comes last: the provider has renamed it since.
 */
function choose(listed: ListedRow, candidates: readonly Candidate[]): OwnPlace | null {
	const contract = candidates.find(({ isContract }) => isContract);
	if (contract && (contract.slug === null || contract.slug === listed.slug)) return contract;
	const named = candidates.filter(({ isContract }) => !isContract);
	const here = named.find(({ chainId }) => chainId === listed.chainId);
	const [only = null, another] = named;
	return here ?? (another ? null : only) ?? contract ?? null;
}
