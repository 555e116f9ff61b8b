import type { Queryable } from "#core/db/Database.ts";
import type { DiscoveryList, ListMode } from "#plugins/market-index/discovery/DiscoveryList.ts";

/** `asked`: read for one request, while no worker had read it. */
export type ListKey = { chainId: number; mode: ListMode; by: "worker" | "asked" };

/** Stores a list in place of the one before. */
export async function storeList(db: Queryable, key: ListKey, list: DiscoveryList): Promise<void> {
	await db.execute(
		`insert into market_index.discovery_list (chain_id, mode, refreshed_at, rows)
		values ($1, $2, $3, $4::jsonb)
		on conflict (chain_id, mode) do update
			set refreshed_at = excluded.refreshed_at, rows = excluded.rows
			where discovery_list.refreshed_at <= excluded.refreshed_at`,
		[key.chainId, nameOf(key), new Date(list.refreshedAtMs), JSON.stringify(list.rows)],
	);
}

/**
 * Returns the name under which a list is stored: it includes the version, so that a later version
 * never misreads it.
 */
export function nameOf({ mode, by }: Pick<ListKey, "mode" | "by">): string {
	return `v2:${by}:${mode}`;
}
