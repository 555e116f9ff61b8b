import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import { setFloor } from "#plugins/market-index/floor/setFloor.ts";
import { UNSEEN_MS } from "#plugins/market-index/orders/limits.ts";
import { bookFigures } from "#plugins/market-index/orders/sql/bookFigures.ts";
import type { LockedBook } from "#plugins/market-index/orders/sql/lockBook.ts";
import { FLOOR_AGAIN_MS } from "#plugins/market-index/pace/limits.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";

/** How often the time of an unchanged count is stored: not with each push. */
const COUNTED_AGAIN_MS = 60_000;

export type Settling = {
	chain: Chain;
	book: LockedBook;
	/** Unit prices of listings that went: sold, cancelled, or expired. */
	lost: readonly string[];
	nowMs: number;
};

/**
 * Sets count and floor from the rest of the book, if it was whole a short while ago: a few pushed
 * orders make no count, and no floor. In any case a floor that went is soon read again, as the
 * provider sees more markets than the book has.
 */
export async function settleBook(
	tx: Tx,
	{ core, prices }: Pick<SyncContext, "core" | "prices">,
	{ chain, book, lost, nowMs }: Settling,
): Promise<void> {
	const { floorNative } = book;
	const isLost = floorNative !== null && lost.includes(floorNative);
	const isWhole = book.listedCount !== null && (book.ordersAt?.getTime() ?? 0) >= nowMs - UNSEEN_MS;
	if (isWhole) {
		const { listed, best } = await bookFigures(tx, book.id, nowMs);
		await tx.execute(
			`update market_index.collection set listed_count = $2, listed_at = $3
			where id = $1 and (listed_count is distinct from $2 or listed_at is null
				or listed_at <= $4 or listed_at > $3)`,
			[book.id, listed, new Date(nowMs), new Date(nowMs - COUNTED_AGAIN_MS)],
		);
		if (isLost) {
			const reading = best
				? ({ kind: "ask", ...best, native: BigInt(best.unitNative) } as const)
				: ({ kind: "none" } as const);
			const { outbox } = core;
			await setFloor(tx, { chain, collection: book, reading, outbox, prices, nowMs });
		}
	}
	if (isLost) await askSoon(tx, book.id, nowMs);
}

/**
 * Moves the next sync forward. A collection whose syncs fail keeps its own time. Stored listings of
 * an unfinished sync may include the one that went: they are read again.
 */
async function askSoon(tx: Tx, collectionId: number, nowMs: number): Promise<void> {
	await tx.execute(
		`update market_index.sync set parts = parts - 'listings' - 'pages',
			next_at = case when failures > 0 then next_at
				else least(next_at, greatest($2, synced_at + $3 * interval '1 millisecond')) end
		where collection_id = $1`,
		[collectionId, new Date(nowMs), FLOOR_AGAIN_MS],
	);
}
