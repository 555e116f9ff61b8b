import type { Queryable } from "#core/db/Database.ts";

export type WatchReason = "plan" | "operator";

/** Watches a collection for a reveal; repeating it changes nothing. */
export async function watchCollection(
	db: Queryable,
	watch: { collectionId: number; chainId: number; reason: WatchReason; at: Date },
): Promise<void> {
	const { collectionId, chainId, reason, at } = watch;
	await db.execute(
		`insert into reveal_snipe.watch (collection_id, chain_id, reason, since)
		values ($1, $2, $3, $4) on conflict do nothing`,
		[collectionId, chainId, reason, at],
	);
}

/** Ends the watches of one reason, except for these collections. */
export async function unwatchOthers(
	db: Queryable,
	reason: WatchReason,
	keptIds: readonly number[],
): Promise<void> {
	await db.execute(
		"delete from reveal_snipe.watch where reason = $1 and not collection_id = any($2::int4[])",
		[reason, keptIds],
	);
}

/** Counts the other watched collections of a chain. */
export async function countWatchedOthers(
	db: Queryable,
	{ collectionId, chainId }: { collectionId: number; chainId: number },
): Promise<number> {
	const [row] = await db.query<{ count: number }>(
		`select count(distinct collection_id)::int4 as count from reveal_snipe.watch
		where chain_id = $1 and collection_id <> $2`,
		[chainId, collectionId],
	);
	return row?.count ?? 0;
}

/** Returns the watched collections of a chain, those watched longest first. */
export async function readWatched(
	db: Queryable,
	{ chainId, limit }: { chainId: number; limit: number },
): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select collection_id as id from reveal_snipe.watch where chain_id = $1
		group by collection_id order by min(since), collection_id limit $2`,
		[chainId, limit],
	);
	return rows.map(({ id }) => id);
}
