import type { Tx } from "#core/db/Database.ts";

/** Begins to keep the owners of collections; their walks end at this block. */
export async function insertWatched(
	tx: Tx,
	watch: { chainId: number; wanted: readonly number[]; cursor: number },
): Promise<void> {
	await tx.execute(
		`insert into market_index.ownership (collection_id, chain_id, address, end_block)
		select id, chain_id, address, $3 from market_index.collection
		where id = any($2::int4[]) and chain_id = $1 and not excluded
		on conflict do nothing`,
		[watch.chainId, watch.wanted, watch.cursor],
	);
}
