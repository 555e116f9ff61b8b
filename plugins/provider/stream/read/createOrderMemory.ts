import { LRUCache } from "lru-cache";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { ProviderOrder } from "#plugins/provider/contract.ts";
import { KNOWN_ORDERS_MAX } from "#plugins/provider/stream/limits.ts";

export type KnownOrder = { side: ProviderOrder["side"]; maker: Address };

/** Recent orders with their sides and makers. */
export type OrderMemory = {
	remember(order: ProviderOrder): void;
	find(orderHash: Hex): KnownOrder | null;
};

export function createOrderMemory(): OrderMemory {
	const orders = new LRUCache<Hex, KnownOrder>({ max: KNOWN_ORDERS_MAX });
	return {
		remember: ({ orderHash, side, maker }) => void orders.set(orderHash, { side, maker }),
		find: (orderHash) => orders.get(orderHash) ?? null,
	};
}
