import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { bytesOf } from "#plugins/market-index/owners/bytesOf.ts";

export type Holder = { owner: Address; units: bigint };

/**
 * A page of a collection's holders, the largest first, after the last one of the page before; none
 * while the collection is not walked. By the index `holder_largest`.
 */
export async function readHolders(
	db: Queryable,
	page: { collectionId: number; limit: number; after: Holder | null },
): Promise<Holder[]> {
	const { collectionId, limit, after } = page;
	const rows = await db.query<{ owner: Address; units: string }>(
		`select '0x' || encode(owner, 'hex') as owner, units from market_index.holder
		where set_id = (
				select set_id from market_index.ownership
				where collection_id = $1 and next_block > end_block
			)
			and ($3::numeric is null or units < $3 or (units = $3 and owner > $4::bytea))
		order by units desc, owner limit $2`,
		[collectionId, limit, after?.units ?? null, after ? bytesOf(after.owner) : null],
	);
	return rows.map(({ owner, units }) => ({ owner, units: BigInt(units) }));
}
