import { readBookAt } from "#plugins/market-index/book/readBookAt.ts";
import { type DepthLevel, readDepth } from "#plugins/market-index/book/readDepth.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { displayNative } from "#plugins/market-index/display/displayNative.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";

/**
 * Returns both sides of a collection's book by price, and has the book read. Before it is read only
 * pushed orders are known: a side without any is then null.
 */
export async function answerDepth(
	{ core, index }: Pick<RouteContext, "core" | "index">,
	found: FoundCollection,
) {
	const nowMs = core.clock.nowMs();
	index.touch(found.id, "detail");
	const [{ asks, bids }, bookReadAt] = await Promise.all([
		readDepth(core.db, { collectionId: found.id, nowMs }),
		readBookAt(core.db, found.id),
	]);
	const side = (levels: readonly DepthLevel[]) =>
		bookReadAt === null && levels.length === 0 ? null : levels.map(renderLevel);
	return {
		asks: side(asks),
		bids: side(bids),
		bookReadAt,
		observedAt: new Date(nowMs).toISOString(),
	};
}

function renderLevel({ unitNative, orders, units }: DepthLevel) {
	return { priceNative: displayNative(unitNative), orders, units };
}
