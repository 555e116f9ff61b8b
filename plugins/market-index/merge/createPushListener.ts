import type { Queryable } from "#core/db/Database.ts";
import { unreachable } from "#core/fault/unreachable.ts";
import type { MergedCollection, MergeEvents } from "#plugins/market-index/merge/mergeEvents.ts";
import { findByContract } from "#plugins/market-index/merge/sql/findByContract.ts";
import type { OrderPush } from "#plugins/market-index/orders/applyOrderPush.ts";
import type { ProviderNft, ProviderPush } from "#plugins/provider/contract.ts";

export type PushListenerOptions = {
	db: Queryable;
	merge: MergeEvents;
	/** A change of somebody's order book. */
	applyOrder(push: OrderPush): Promise<void>;
	/** What a token says of itself now. */
	applyMetadata(collection: MergedCollection, nft: ProviderNft): Promise<void>;
};

/**
 * What the provider's stream pushes, handed to whoever keeps it. Contracts that the index does not
 * have are left out: what is followed was in it when it was.
 */
export function createPushListener(
	options: PushListenerOptions,
): (push: ProviderPush) => Promise<void> {
	const { db, merge, applyOrder, applyMetadata } = options;
	return async (push) => {
		switch (push.type) {
			case "event": {
				const { chainId, nft } = push.event;
				const collection = nft && (await findByContract(db, chainId, nft.contract));
				if (!collection) return;
				await merge(collection, [push.event]);
				const { type, orderHash, quantity } = push.event;
				if (type !== "sale" || orderHash === null) return;
				return applyOrder({ type: "order_filled", slug: push.slug, chainId, orderHash, quantity });
			}
			case "metadata": {
				const { chainId, contract } = push.nft;
				if (chainId === null) return;
				const collection = await findByContract(db, chainId, contract);
				if (collection) await applyMetadata(collection, push.nft);
				return;
			}
			case "order":
			case "order_gone":
			case "order_back":
				return applyOrder(push);
			default:
				return unreachable(push);
		}
	};
}
