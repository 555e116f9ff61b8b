import type { Queryable } from "#core/db/Database.ts";
import { storablePayload } from "#plugins/market-index/apply/storablePayload.ts";
import type { DiscoveryList, ListMode } from "#plugins/market-index/discovery/DiscoveryList.ts";

/** `asked`: read for one request, while no worker had read it. */
export type ListKey = { chainId: number; mode: ListMode; by: "worker" | "asked" };

/** Keeps a list in place of the one before. */
export async function storeList(db: Queryable, key: ListKey, list: DiscoveryList): Promise<void> {
	const rows = list.rows.map((row) => ({ ...row, raw: storablePayload(row.raw) ?? {} }));
	await db.execute(
		`insert into market_index.discovery_list (chain_id, mode, refreshed_at, rows)
		values ($1, $2, $3, $4::jsonb)
		on conflict (chain_id, mode) do update
			set refreshed_at = excluded.refreshed_at, rows = excluded.rows
			where discovery_list.refreshed_at <= excluded.refreshed_at`,
		[key.chainId, nameOf(key), new Date(list.refreshedAtMs), JSON.stringify(rows)],
	);
}

/** Under which a list is kept: its form is part of it, so that a later one never misreads it. */
export function nameOf({ mode, by }: Pick<ListKey, "mode" | "by">): string {
	return `v1:${by}:${mode}`;
}
