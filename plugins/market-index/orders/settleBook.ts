import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import { setFloor } from "#plugins/market-index/floor/setFloor.ts";
import { UNSEEN_MS } from "#plugins/market-index/orders/limits.ts";
import { bookFigures } from "#plugins/market-index/orders/sql/bookFigures.ts";
import type { LockedBook } from "#plugins/market-index/orders/sql/lockBook.ts";
import { FLOOR_AGAIN_MS } from "#plugins/market-index/sync/limits.ts";
import type { SyncContext } from "#plugins/market-index/sync/SyncContext.ts";

export type Settling = {
	chain: Chain;
	book: LockedBook;
	/** What units of listings that went were asked for: sold, cancelled, or over by themselves. */
	lost: readonly string[];
	nowMs: number;
};

/**
 * Makes count and floor those of the book that is left, where it was whole a short while ago: a few
 * pushed orders are no count, and no floor. Whatever it was, a floor that went is asked for again
 * soon, as the provider sees more markets than the book has.
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
			`update market_index.collection set listed_count = $2
			where id = $1 and listed_count is distinct from $2`,
			[book.id, listed],
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

/** A collection whose syncs fail keeps its own time. */
async function askSoon(tx: Tx, collectionId: number, nowMs: number): Promise<void> {
	await tx.execute(
		`update market_index.sync set
			next_at = least(next_at, greatest($2, synced_at + $3 * interval '1 millisecond'))
		where collection_id = $1 and failures = 0`,
		[collectionId, new Date(nowMs), FLOOR_AGAIN_MS],
	);
}
