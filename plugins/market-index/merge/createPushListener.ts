import type { Queryable } from "#core/db/Database.ts";
import { unreachable } from "#core/fault/unreachable.ts";
import type { MergedCollection, MergeEvents } from "#plugins/market-index/merge/mergeEvents.ts";
import { findByContract } from "#plugins/market-index/merge/sql/findByContract.ts";
import type { OrderPush } from "#plugins/market-index/orders/OrderPush.ts";
import type { ProviderEvent, ProviderPush } from "#plugins/provider/contract.ts";

export type PushListenerOptions = {
	db: Queryable;
	merge: MergeEvents;
	/** Applies changes of a collection's order book, in the order of arrival. */
	applyOrders(pushes: readonly OrderPush[]): Promise<void>;
	/** Handles changed metadata of these tokens. */
	applyMetadata(collection: MergedCollection, tokenIds: readonly bigint[]): Promise<void>;
};

/** Pushes sorted by what stores them; orders in the order of arrival. */
type Sorted = {
	events: Map<MergedCollection, ProviderEvent[]>;
	orders: OrderPush[];
	tokens: Map<MergedCollection, bigint[]>;
};

/**
 * Makes the listener that passes the provider's pushes to what stores them, in batches. Contracts
 * that the index does not have any more are left out.
 *
 * Events first, then orders, then tokens: none of the three reads what the others write, and each
 * keeps its own order. All of it may come again.
 */
export function createPushListener(
	options: PushListenerOptions,
): (pushes: readonly ProviderPush[]) => Promise<void> {
	const { merge, applyOrders, applyMetadata } = options;
	return async (pushes) => {
		const { events, orders, tokens } = await sort(options.db, pushes);
		for (const [collection, told] of events) await merge(collection, told);
		if (orders.length > 0) await applyOrders(orders);
		for (const [collection, changed] of tokens) await applyMetadata(collection, changed);
	};
}

async function sort(db: Queryable, pushes: readonly ProviderPush[]): Promise<Sorted> {
	const found = new Map<string, MergedCollection | null>();
	const find = async (chainId: number, contract: MergedCollection["address"]) => {
		const key = `${chainId}:${contract}`;
		const known = found.get(key);
		if (known !== undefined) return known;
		const collection = await findByContract(db, chainId, contract);
		found.set(key, collection);
		return collection;
	};
	const sorted: Sorted = { events: new Map(), orders: [], tokens: new Map() };
	for (const push of pushes) {
		switch (push.type) {
			case "event": {
				const { chainId, nft } = push.event;
				const collection = nft && (await find(chainId, nft.contract));
				if (!collection) break;
				addTo(sorted.events, collection, push.event);
				const { type, orderHash, quantity } = push.event;
				if (type !== "sale" || orderHash === null) break;
				const { slug } = push;
				sorted.orders.push({ type: "order_filled", slug, chainId, orderHash, quantity });
				break;
			}
			case "metadata": {
				const { chainId, contract, tokenId } = push.nft;
				const collection = chainId === null ? null : await find(chainId, contract);
				if (collection) addTo(sorted.tokens, collection, tokenId);
				break;
			}
			case "order":
			case "order_gone":
			case "order_back":
				sorted.orders.push(push);
				break;
			default:
				return unreachable(push);
		}
	}
	return sorted;
}

function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
	const list = lists.get(key);
	if (list) list.push(value);
	else lists.set(key, [value]);
}
