import type { Chain } from "#core/chain/Chain.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { setFloor } from "#plugins/market-index/floor/setFloor.ts";
import { UNSEEN_MS } from "#plugins/market-index/orders/limits.ts";
import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";
import { orderRowOf } from "#plugins/market-index/orders/orderRowOf.ts";
import { bookFigures } from "#plugins/market-index/orders/sql/bookFigures.ts";
import { type LockedBook, lockBook } from "#plugins/market-index/orders/sql/lockBook.ts";
import { setOrderActive } from "#plugins/market-index/orders/sql/setOrderActive.ts";
import { upsertOrders } from "#plugins/market-index/orders/sql/upsertOrders.ts";
import { tellOrders } from "#plugins/market-index/orders/tellOrders.ts";
import type { SyncContext } from "#plugins/market-index/sync/SyncContext.ts";
import type { ProviderPush } from "#plugins/provider/contract.ts";

export type OrderPush = Extract<ProviderPush, { type: "order" | "order_gone" | "order_back" }>;

/**
 * Writes one change of a book that the provider's stream told, and tells it on. A cheaper listing
 * is the floor at once; when one goes, the book is due, as the next best may not be known.
 */
export async function applyOrderPush(
	context: Pick<SyncContext, "core" | "prices">,
	push: OrderPush,
): Promise<void> {
	const { core, prices } = context;
	const chainId = push.type === "order" ? push.order.chainId : push.chainId;
	const chain = core.chains.byId(chainId);
	if (!chain) return;
	await core.db.transaction(async (tx) => {
		const book = await lockBook(tx, { chainId, slug: push.slug });
		if (!book) return;
		const nowMs = core.clock.nowMs();
		const changed =
			push.type === "order"
				? await addOrder({ tx, book, nowMs, chain, context }, push.order)
				: await setOrderActive(tx, {
						collectionId: book.id,
						orderHash: push.orderHash,
						isActive: push.type === "order_back",
						generation: book.generation,
						at: new Date(nowMs),
					});
		if (changed.length === 0) return;
		await recount(tx, book, nowMs);
		if (push.type === "order_gone") {
			await tx.execute("update market_index.sync set orders_due_at = $2 where collection_id = $1", [
				book.id,
				new Date(nowMs),
			]);
		}
		const { outbox } = core;
		await tellOrders(tx, { chain, collection: book, changed, outbox, prices, nowMs });
	});
}

type Adding = {
	tx: Tx;
	book: LockedBook;
	nowMs: number;
	chain: Chain;
	context: Pick<SyncContext, "core" | "prices">;
};

async function addOrder(
	{ tx, book, nowMs, chain, context: { core, prices } }: Adding,
	order: Extract<OrderPush, { type: "order" }>["order"],
): Promise<Hex[]> {
	const row = order.isActive ? orderRowOf(order, book, { prices, nowMs }) : null;
	if (!row) return [];
	const at = new Date(nowMs);
	const write = { collectionId: book.id, generation: book.generation, rows: [row] };
	const changed = await upsertOrders(tx, { ...write, knownAt: at, seenAt: at });
	if (isCheaper(row, book, nowMs)) {
		const { unitPrice: price, symbol } = row;
		const native = BigInt(row.unitNative ?? 0);
		const reading = { kind: "ask", native, price, symbol } as const;
		const { outbox } = core;
		await setFloor(tx, { chain, collection: book, reading, outbox, prices, nowMs });
	}
	return changed;
}

/** Below the floor that is known: what is above it says nothing, as other markets may have more. */
function isCheaper(row: OrderRow, { floorNative }: LockedBook, nowMs: number): boolean {
	if (row.kind !== "listing" || row.isPrivate || row.unitNative === null) return false;
	if (row.startsAt && row.startsAt.getTime() > nowMs) return false;
	if (row.expiresAt && row.expiresAt.getTime() <= nowMs) return false;
	const asked = BigInt(row.unitNative);
	return asked > 0n && (floorNative === null || asked < BigInt(floorNative));
}

/** Only where the book was whole a short while ago: a few pushed orders are no count. */
async function recount(tx: Tx, book: LockedBook, nowMs: number): Promise<void> {
	if (book.listedCount === null || !book.ordersAt) return;
	if (book.ordersAt.getTime() < nowMs - UNSEEN_MS) return;
	const { listed } = await bookFigures(tx, book.id, nowMs);
	await tx.execute("update market_index.collection set listed_count = $2 where id = $1", [
		book.id,
		listed,
	]);
}
