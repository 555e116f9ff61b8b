import type { Tx } from "#core/db/Database.ts";

/** Extends walks: the lane did not read these contracts before this block's end. */
export async function extendWalks(
	tx: Tx,
	setIds: readonly number[],
	endBlock: number,
): Promise<void> {
	await tx.execute(
		"update market_index.ownership set end_block = $2 where set_id = any($1::int4[])",
		[setIds, endBlock],
	);
}
