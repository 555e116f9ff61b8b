import type { Queryable } from "#core/db/Database.ts";
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

/** Deletes books that were taken before a time. By `kept_book_taken`. */
export async function pruneKeptBooks(db: Queryable, before: Date): Promise<void> {
	await db.execute("delete from reveal_snipe.kept_book where taken_at < $1", [before]);
}
