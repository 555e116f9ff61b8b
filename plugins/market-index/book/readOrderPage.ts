import type { Queryable } from "#core/db/Database.ts";
import type { BookOrder } from "#plugins/market-index/book/BookOrder.ts";
import { type OrdersQuery, readOrders } from "#plugins/market-index/book/readOrders.ts";
import { CURSOR_PART, createCursor } from "#plugins/market-index/cursor/createCursor.ts";

const cursors = {
	asc: createCursor("asks1", [CURSOR_PART.countOrNone, CURSOR_PART.hash]),
	desc: createCursor("bids1", [CURSOR_PART.countOrNone, CURSOR_PART.hash]),
};

export type OrderPage = {
	orders: BookOrder[];
	page: { nextCursor: string | null; hasMore: boolean };
};

/** A page of one side of a book. One more than fits is read, to know whether there are any. */
export async function readOrderPage(
	db: Queryable,
	query: Omit<OrdersQuery, "after"> & { cursor: string | undefined },
): Promise<OrderPage> {
	const { cursor, limit, order } = query;
	const [price, hash] = cursor === undefined ? [] : cursors[order].decode(cursor);
	const after =
		price === undefined || hash === undefined
			? null
			: { unitNative: price === "none" ? null : price, orderHash: `0x${hash.slice(2)}` as const };
	const found = await readOrders(db, { ...query, after, limit: limit + 1 });
	const orders = found.slice(0, limit);
	const last = orders.at(-1);
	const hasMore = found.length > limit;
	const nextCursor =
		hasMore && last ? cursors[order].encode([last.unitNative ?? "none", last.orderHash]) : null;
	return { orders, page: { nextCursor, hasMore } };
}
