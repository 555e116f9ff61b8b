import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { feedKey } from "#plugins/prices/feed/Feed.ts";

/**
 * Returns the rounds after which others are missing, by feed; also where those never will be read.
 */
export async function readBarriers(db: Queryable): Promise<Map<string, Set<bigint>>> {
	const rows = await db.query<{ feedChainId: number; address: Address; below: string }>(
		`select chain_id as "feedChainId", '0x' || encode(feed, 'hex') as address, below
		from prices.gap where below > 0 limit 100000`,
	);
	const barriers = new Map<string, Set<bigint>>();
	for (const row of rows) {
		const key = feedKey(row);
		const known = barriers.get(key) ?? new Set();
		barriers.set(key, known.add(BigInt(row.below)));
	}
	return barriers;
}
