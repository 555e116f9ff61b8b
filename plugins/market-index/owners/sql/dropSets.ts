import type { Tx } from "#core/db/Database.ts";

/**
 * Stops keeping the owners of some sets. Their rows are deleted later, so that the chain's lock is
 * not held for that.
 */
export async function dropSets(tx: Tx, setIds: readonly number[]): Promise<void> {
	if (setIds.length === 0) return;
	await tx.execute(
		`with gone as (
			delete from market_index.ownership where set_id = any($1::int4[]) returning set_id
		)
		insert into market_index.owner_garbage select set_id from gone`,
		[setIds],
	);
}
