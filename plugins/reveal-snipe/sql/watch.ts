// Reads and writes which collections are watched, and the order books of reveals.

import type { Queryable, Tx } from "#core/db/Database.ts";
import type { TokenListing } from "#plugins/market-index/contract.ts";

/** The listings when a collection's reveal was ranked, and how that reveal was detected. */
export type KeptBook = {
	takenAt: Date;
	/** The block that announced the reveal; null where a poll detected it. */
	blockNumber: number | null;
	blockAt: Date | null;
	detectedAt: Date;
	listings: TokenListing[];
};

type WatchReason = "plan" | "operator";

type Kept = Omit<TokenListing, "quantity" | "totalRaw"> & { quantity: string; totalRaw: string };

/** Stores a book with its detection; an existing one stays. */
export async function keepBook(
	db: Queryable,
	book: {
		detectionId: number;
		collectionId: number;
		takenAt: Date;
		listings: readonly TokenListing[];
	},
): Promise<void> {
	const kept = book.listings.map(({ quantity, totalRaw, ...listing }): Kept => {
		return { ...listing, quantity: String(quantity), totalRaw: String(totalRaw) };
	});
	await db.execute(
		`insert into reveal_snipe.kept_book (detection_id, collection_id, taken_at, listings)
		values ($1, $2, $3, $4::jsonb) on conflict do nothing`,
		[book.detectionId, book.collectionId, book.takenAt, JSON.stringify(kept)],
	);
}

/** Returns the newest book of a collection that was taken since a time. By `kept_book_of`. */
export async function readKeptBook(
	db: Queryable,
	{ collectionId, since }: { collectionId: number; since: Date },
): Promise<KeptBook | null> {
	const [row] = await db.query<Omit<KeptBook, "listings"> & { listings: Kept[] }>(
		`select k.taken_at as "takenAt", d.block_number as "blockNumber", d.block_at as "blockAt",
			d.detected_at as "detectedAt", k.listings
		from reveal_snipe.kept_book as k join reveal_snipe.detection as d on d.id = k.detection_id
		where k.collection_id = $1 and k.taken_at > $2 order by k.detection_id desc limit 1`,
		[collectionId, since],
	);
	if (!row) return null;
	const listings = row.listings.map(({ quantity, totalRaw, ...listing }) => {
		return { ...listing, quantity: BigInt(quantity), totalRaw: BigInt(totalRaw) };
	});
	return { ...row, listings };
}

/** Deletes books that were taken longer ago. By `kept_book_taken`. */
export async function pruneKeptBooks(db: Queryable, keptMs: number): Promise<void> {
	await db.execute(
		"delete from reveal_snipe.kept_book where taken_at < now() - $1 * interval '1 millisecond'",
		[keptMs],
	);
}

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

/**
 * Counts the other watched collections of a chain, one transaction after the other: a count says
 * nothing of what others are just inserting.
 */
export async function countWatchedOthers(
	tx: Tx,
	{ collectionId, chainId }: { collectionId: number; chainId: number },
): Promise<number> {
	await tx.query("select pg_advisory_xact_lock(hashtextextended('reveal_snipe.watch:' || $1, 0))", [
		String(chainId),
	]);
	const [row] = await tx.query<{ count: number }>(
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
