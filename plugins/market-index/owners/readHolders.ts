import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

export type Holder = { owner: Address; units: bigint };

/**
 * Returns a page of a collection's holders, the largest first, after the last one of the page
 * before; null while the collection is not walked, when its holders are unknown, and for a walk
 * without a mint, whose contract emits no usable logs. By the index `holder_largest`.
 */
export async function readHolders(
	db: Queryable,
	page: { collectionId: number; limit: number; after: Holder | null },
): Promise<Holder[] | null> {
	const { collectionId, limit, after } = page;
	const [walked] = await db.query<{ setId: number }>(
		`select set_id as "setId" from market_index.ownership
		where collection_id = $1 and next_block > end_block and minted > 0`,
		[collectionId],
	);
	if (!walked) return null;
	const rows = await db.query<{ owner: Address; units: string }>(
		`select '0x' || encode(owner, 'hex') as owner, units from market_index.holder
		where set_id = $1
			and ($3::numeric is null or units < $3 or (units = $3 and owner > $4::bytea))
		order by units desc, owner limit $2`,
		[walked.setId, limit, after?.units ?? null, after ? bytesOf(after.owner) : null],
	);
	return rows.map(({ owner, units }) => ({ owner, units: BigInt(units) }));
}
