import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

export type DueBook = {
	id: number;
	chainId: number;
	address: Address;
	providerSlug: string;
	/** True: the provider's slug spans several contracts, so its figures are not this one's. */
	isShared: boolean;
	/** The stored progress of an interrupted reading. */
	progress: unknown;
};

/** Claims the watched book that has waited longest, for `claimMs`; by `sync_watched`. */
export async function claimBook(
	db: Queryable,
	claim: { chainIds: readonly number[]; nowMs: number; claimMs: number },
): Promise<DueBook | null> {
	const { chainIds, nowMs, claimMs } = claim;
	const rows = await db.query<DueBook>(
		`update market_index.sync as s set orders_due_at = $3
		from market_index.collection as c
		where c.id = s.collection_id and s.collection_id = (
			select due.collection_id from market_index.sync as due
			join market_index.collection as looked on looked.id = due.collection_id
			where due.watched_until > $2 and due.orders_due_at <= $2
				and due.provider_slug is not null and due.chain_id = any($1::int8[])
				and not looked.excluded
			order by due.orders_due_at limit 1 for update of due skip locked
		)
		returning c.id, c.chain_id as "chainId", '0x' || encode(c.address, 'hex') as address,
			s.provider_slug as "providerSlug",
			coalesce(jsonb_path_query_array(c.provider_row, '$.contracts[1]') <> '[]', false)
				as "isShared", s.book_progress as progress`,
		[chainIds, new Date(nowMs), new Date(nowMs + claimMs)],
	);
	return rows[0] ?? null;
}
