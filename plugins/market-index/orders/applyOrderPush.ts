import type { Chain } from "#core/chain/Chain.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { setFloor } from "#plugins/market-index/floor/setFloor.ts";
import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";
import { orderRowOf } from "#plugins/market-index/orders/orderRowOf.ts";
import { settleBook } from "#plugins/market-index/orders/settleBook.ts";
import { type LockedBook, lockBook } from "#plugins/market-index/orders/sql/lockBook.ts";
import { setOrderActive } from "#plugins/market-index/orders/sql/setOrderActive.ts";
import { upsertOrders } from "#plugins/market-index/orders/sql/upsertOrders.ts";
import { tellOrders } from "#plugins/market-index/orders/tellOrders.ts";
import type { SyncContext } from "#plugins/market-index/sync/SyncContext.ts";
import type { ProviderPush } from "#plugins/provider/contract.ts";

export type OrderPush =
	| Extract<ProviderPush, { type: "order" | "order_gone" | "order_back" }>
	/** So many units of an order were bought. */
	| { type: "order_filled"; slug: string; chainId: number; orderHash: Hex; quantity: bigint };

/**
 * Writes one change of a book that the provider's stream told, and tells it on. A cheaper listing
 * is the floor at once; when the one at the floor goes, the best of what is left is, where that is
 * known. Either way the book is due then.
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
		if (push.type === "order") {
			const changed = await addOrder({ tx, book, nowMs, chain, context }, push.order);
			if (changed.length === 0) return;
			await settleBook(tx, context, { chain, book, lost: [], nowMs });
			const { outbox } = core;
			return tellOrders(tx, { chain, collection: book, changed, outbox, prices, nowMs });
		}
		const isActive = push.type === "order_back";
		const at = new Date(nowMs);
		const changed = await setOrderActive(tx, {
			collectionId: book.id,
			orderHash: push.orderHash,
			isActive,
			generation: book.generation,
			at,
			bought: push.type === "order_filled" ? push.quantity : null,
		});
		if (!changed) return;
		const { askNative, orderHash } = changed;
		const lost = isActive || askNative === null ? [] : [askNative];
		await settleBook(tx, context, { chain, book, lost, nowMs });
		if (!isActive) {
			await tx.execute("update market_index.sync set orders_due_at = $2 where collection_id = $1", [
				book.id,
				at,
			]);
		}
		const { outbox } = core;
		const telling = { chain, collection: book, changed: [orderHash], outbox, prices, nowMs };
		await tellOrders(tx, telling);
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
