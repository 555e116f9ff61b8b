import type { Queryable } from "#core/db/Database.ts";
import { CURSOR_PART, createCursor } from "#core/http/createCursor.ts";
import { type OrdersQuery, readOrders } from "#plugins/market-index/book/readOrders.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import type { BookOrder } from "#plugins/market-index/event/BookOrder.ts";

const cursors = {
	asc: createCursor("asks2", [CURSOR_PART.countOrNone, CURSOR_PART.hash]),
	desc: createCursor("bids2", [CURSOR_PART.countOrNone, CURSOR_PART.hash]),
};

export type OrderPage = {
	orders: BookOrder[];
	page: { nextCursor: string | null; hasMore: boolean };
};

/**
 * Returns a page of one side of a book. One order more than fits is read, to know whether more
 * exist.
 */
export async function readOrderPage(
	db: Queryable,
	query: Omit<OrdersQuery, "after" | "collectionId"> & {
		collection: Pick<FoundCollection, "id" | "chain" | "address">;
		cursor: string | undefined;
	},
): Promise<OrderPage> {
	const { collection, cursor, limit, order, kinds, tokenId } = query;
	const { id: collectionId, chain, address } = collection;
	const bound = cursors[order].of({ chain, address, tokenId, kinds: kinds.join(",") });
	const [price, hash] = cursor === undefined ? [] : bound.decode(cursor);
	const after =
		price === undefined || hash === undefined
			? null
			: { unitNative: price === "none" ? null : price, orderHash: `0x${hash.slice(2)}` as const };
	const found = await readOrders(db, { ...query, collectionId, after, limit: limit + 1 });
	const orders = found.slice(0, limit);
	const last = orders.at(-1);
	const hasMore = found.length > limit;
	const nextCursor =
		hasMore && last ? bound.encode([last.unitNative ?? "none", last.orderHash]) : null;
	return { orders, page: { nextCursor, hasMore } };
}
