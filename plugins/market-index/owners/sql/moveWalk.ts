import type { Tx } from "#core/db/Database.ts";

/** Moves a walk on, by its set; false where it stands elsewhere. */
export async function moveWalk(
	tx: Tx,
	move: { setId: number; fromBlock: number; toBlock: number },
): Promise<boolean> {
	const moved = await tx.execute(
		`update market_index.ownership set next_block = $3::int8 + 1, rest_until = null
		where set_id = $1 and coalesce(next_block, $2) = $2 and end_block >= $3`,
		[move.setId, move.fromBlock, move.toBlock],
	);
	return moved === 1;
}
