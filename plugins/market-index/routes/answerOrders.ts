import { readBookAt } from "#plugins/market-index/book/readBookAt.ts";
import { readOrderPage } from "#plugins/market-index/book/readOrderPage.ts";
import type { OrdersQuery } from "#plugins/market-index/book/readOrders.ts";
import { renderOrder } from "#plugins/market-index/book/renderOrder.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { usdAt } from "#plugins/market-index/read/usdAt.ts";

/**
 * Returns a page of one side of a collection's book: the common part of listings and offers. The
 * request has the book read, and kept current for a while. Before it is read only pushed orders are
 * known: without any `data` is null, and not an empty book.
 */
export async function answerOrders(
	{ core, index, prices }: RouteContext,
	asked: Pick<OrdersQuery, "kinds" | "order"> & {
		slug: string;
		query: {
			chain?: string | undefined;
			tokenId?: string | undefined;
			cursor?: string | undefined;
			limit: number;
		};
	},
) {
	const { slug, query, kinds, order } = asked;
	const found = await index.find(slug, query.chain);
	const nowMs = core.clock.nowMs();
	index.touch(found.id, "detail");
	const reading = {
		collection: found,
		kinds,
		tokenId: query.tokenId ?? null,
		order,
		nowMs,
		cursor: query.cursor,
		limit: query.limit,
	};
	const [{ orders, page }, bookReadAt] = await Promise.all([
		readOrderPage(core.db, reading),
		readBookAt(core.db, found.id),
	]);
	const usdOf = usdAt(prices, nowMs);
	const isUnread = bookReadAt === null && orders.length === 0 && query.cursor === undefined;
	const data = isUnread ? null : orders.map((order) => renderOrder(order, usdOf));
	return { data, page, bookReadAt };
}
