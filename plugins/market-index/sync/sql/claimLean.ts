import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

export type DueLean = {
	id: number;
	chainId: number;
	address: Address;
	providerSlug: string;
	/** When it was claimed before; it is given back as that. */
	leanAt: Date | null;
};

/** Takes the collection whose recent events are the stalest, by `sync_lean`. */
export async function claimLean(
	db: Queryable,
	claim: { chainIds: readonly number[]; nowMs: number; everyMs: number },
): Promise<DueLean | null> {
	const { chainIds, nowMs, everyMs } = claim;
	const rows = await db.query<DueLean>(
		`update market_index.sync as s set lean_at = $2
		from (
			select due.collection_id, due.lean_at from market_index.sync as due
			join market_index.collection as c on c.id = due.collection_id and not c.excluded
			where due.provider_slug is not null and due.chain_id = any($1::int8[])
				and (due.lean_at is null or due.lean_at <= $3)
			order by due.lean_at nulls first limit 1 for update of due skip locked
		) as taken
		join market_index.collection as c on c.id = taken.collection_id
		where s.collection_id = taken.collection_id
		returning c.id, c.chain_id as "chainId", '0x' || encode(c.address, 'hex') as address,
			s.provider_slug as "providerSlug", taken.lean_at as "leanAt"`,
		[chainIds, new Date(nowMs), new Date(nowMs - everyMs)],
	);
	return rows[0] ?? null;
}
