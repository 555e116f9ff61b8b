import type { Queryable } from "#core/db/Database.ts";
import type { ListMode } from "#plugins/market-index/discovery/DiscoveryList.ts";
import { nameOf } from "#plugins/market-index/discovery/sql/storeList.ts";

type Named = { chain: { id: number }; mode: ListMode };

/**
 * Returns the worker's lists, unread ones first, then the oldest: otherwise a tick that a limit
 * ends would always miss the same lists.
 */
export async function stalestFirst<List extends Named>(
	db: Queryable,
	lists: readonly List[],
): Promise<List[]> {
	const nameOfList = ({ chain, mode }: Named) => `${chain.id} ${nameOf({ mode, by: "worker" })}`;
	const read = await db.query<{ name: string; refreshedAt: Date }>(
		`select chain_id || ' ' || mode as name, refreshed_at as "refreshedAt"
		from market_index.discovery_list where chain_id = any ($1::int8[])`,
		[lists.map(({ chain }) => chain.id)],
	);
	const times = new Map(read.map(({ name, refreshedAt }) => [name, refreshedAt.getTime()]));
	const timeOf = (list: Named) => times.get(nameOfList(list)) ?? Number.NEGATIVE_INFINITY;
	return lists
		.map((list) => ({ list, atMs: timeOf(list) }))
		.sort((one, other) => (one.atMs === other.atMs ? 0 : one.atMs - other.atMs))
		.map(({ list }) => list);
}
