import type { Tx } from "#core/db/Database.ts";

/** A walk's state after a part of it; `isOver`: it has come to its end. */
export type MovedWalk = { collectionId: number; isOver: boolean };

/** Advances a walk, by its set; null where it is elsewhere by now. */
export async function moveWalk(
	tx: Tx,
	move: { setId: number; fromBlock: number; toBlock: number },
): Promise<MovedWalk | null> {
	const rows = await tx.query<MovedWalk>(
		`update market_index.ownership set next_block = $3::int8 + 1, rest_until = null
		where set_id = $1 and coalesce(next_block, $2) = $2 and end_block >= $3
		returning collection_id as "collectionId", end_block = $3 as "isOver"`,
		[move.setId, move.fromBlock, move.toBlock],
	);
	return rows[0] ?? null;
}
