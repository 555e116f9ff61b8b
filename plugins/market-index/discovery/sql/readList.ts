import { z } from "zod";
import type { Queryable } from "#core/db/Database.ts";
import type { DiscoveryList } from "#plugins/market-index/discovery/DiscoveryList.ts";
import { type ListKey, nameOf } from "#plugins/market-index/discovery/sql/storeList.ts";
import { listedRowSchema } from "#plugins/market-index/register/ListedRow.ts";

const rowsSchema = z.array(listedRowSchema);

/**
 * Returns a list that is no older than that; null where none can be read: then it is read again.
 */
export async function readList(
	db: Queryable,
	key: ListKey,
	{ nowMs, maxAgeMs }: { nowMs: number; maxAgeMs: number },
): Promise<DiscoveryList | null> {
	const [found] = await db.query<{ rows: unknown; refreshedAt: Date }>(
		`select rows, refreshed_at as "refreshedAt" from market_index.discovery_list
		where chain_id = $1 and mode = $2 and refreshed_at > $3`,
		[key.chainId, nameOf(key), new Date(nowMs - maxAgeMs)],
	);
	const rows = rowsSchema.safeParse(found?.rows).data;
	if (!found || !rows) return null;
	return { rows, refreshedAtMs: found.refreshedAt.getTime() };
}
