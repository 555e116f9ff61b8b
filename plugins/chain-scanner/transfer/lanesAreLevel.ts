import type { Queryable } from "#core/db/Database.ts";
import { LIVE_BLOCKS_MAX } from "#plugins/chain-scanner/limits.ts";

/** Says whether the mint and the sale lane are near the head: while they are not, walks wait. */
export async function lanesAreLevel(db: Queryable, chainId: number): Promise<boolean> {
	const rows = await db.query<{ level: boolean }>(
		`select count(*) = 2 and coalesce(bool_and(head_block - block_number < $2), false) as level
		from chain_scanner.cursor where chain_id = $1 and lane in ('mint', 'sale')`,
		[chainId, LIVE_BLOCKS_MAX],
	);
	return rows[0]?.level ?? false;
}
