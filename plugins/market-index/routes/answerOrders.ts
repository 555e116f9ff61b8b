import { readBookAt } from "#plugins/market-index/book/readBookAt.ts";
import { readOrderPage } from "#plugins/market-index/book/readOrderPage.ts";
import type { OrdersQuery } from "#plugins/market-index/book/readOrders.ts";
import { renderOrder } from "#plugins/market-index/book/renderOrder.ts";
import { usdAt } from "#plugins/market-index/read/usdAt.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";

/**
 * One side of a collection's book, a page of it: what listings and offers have in common. Who asks
 * for it looks at the collection: its book is read, and kept current, for a while.
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
		collectionId: found.id,
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
	return { data: orders.map((order) => renderOrder(order, usdOf)), page, bookReadAt };
}
