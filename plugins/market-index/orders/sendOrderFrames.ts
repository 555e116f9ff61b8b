import type { Chain } from "#core/chain/Chain.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import type { Frame } from "#core/outbox/Frame.ts";
import { renderOrder } from "#plugins/market-index/book/renderOrder.ts";
import { collectionTopic } from "#plugins/market-index/contract.ts";
import { ORDER_FRAMES_MAX } from "#plugins/market-index/orders/limits.ts";
import { readStoredOrders } from "#plugins/market-index/orders/sql/readStoredOrders.ts";
import type { SyncedCollection } from "#plugins/market-index/pace/SyncContext.ts";
import { usdAt } from "#plugins/market-index/read/usdAt.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/**
 * Publishes the orders that became active or inactive in a collection's stream, as `market_event`
 * with `eventType` `listing` or `offer` and a `status`. More than `framesMax` become one
 * `snapshot_required`.
 */
export async function sendOrderFrames(
	tx: Tx,
	sending: {
		chain: Chain;
		collection: SyncedCollection;
		changed: readonly Hex[];
		outbox: Pick<Outbox, "append">;
		prices: Pick<Prices, "ethUsd">;
		nowMs: number;
		/** Changes that are sent one by one. */
		framesMax?: number;
	},
): Promise<void> {
	const { chain, collection, changed, outbox, prices, nowMs } = sending;
	const { framesMax = ORDER_FRAMES_MAX } = sending;
	if (changed.length === 0) return;
	const topic = collectionTopic(chain.slug, collection.address);
	if (changed.length > framesMax) {
		outbox.append(tx, topic, [{ type: "snapshot_required", data: { reason: "too_many_orders" } }]);
		return;
	}
	const usdOf = usdAt(prices, nowMs);
	const orders = await readStoredOrders(tx, collection.id, changed);
	const frames = orders.map(
		({ isActive, ...order }): Frame => ({
			type: "market_event",
			data: {
				id: `order:${order.orderHash}`,
				chain: chain.slug,
				contractAddress: collection.address,
				eventType: order.kind === "listing" ? "listing" : "offer",
				status: isActive ? "active" : "inactive",
				...renderOrder(order, usdOf),
				occurredAt: new Date(nowMs).toISOString(),
			},
		}),
	);
	outbox.append(tx, topic, frames);
}
