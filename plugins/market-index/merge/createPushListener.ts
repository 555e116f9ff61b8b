// Applies what the provider's stream pushes, and removes events that left the chain.

import type { Chain } from "#core/chain/Chain.ts";
import type { Queryable } from "#core/db/Database.ts";
import { unreachable } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { type TakingBack, takeBack } from "#plugins/market-index/apply/createReverter.ts";
import { takeOutUnconfirmed } from "#plugins/market-index/confirm/unconfirmed.ts";
import type { MergeEvents } from "#plugins/market-index/merge/mergeEvents.ts";
import {
	DOUBT_AFTER_BLOCKS,
	DOUBT_AFTER_MS,
	DOUBT_EVERY_MS,
	DOUBTED_PER_PART_MAX,
} from "#plugins/market-index/merge/readProviderEvent.ts";
import {
	findByContract,
	findDoubted,
	type MergedCollection,
} from "#plugins/market-index/merge/sql.ts";
import type { OrderPush } from "#plugins/market-index/orders/OrderRow.ts";
import type { ProviderEvent, ProviderPush } from "#plugins/provider/contract.ts";

type PushListenerOptions = {
	db: Queryable;
	merge: MergeEvents;
	/** Applies changes of a collection's order book, in the order of arrival. */
	applyOrders(pushes: readonly OrderPush[]): Promise<void>;
	/** Handles changed metadata of these tokens. */
	applyMetadata(collection: MergedCollection, tokenIds: readonly bigint[]): Promise<void>;
};

type DoubtOptions = TakingBack &
	Pick<Core, "db" | "indexed"> & { scanner: Pick<Scanner, "progress" | "lock"> };

/** Pushes sorted by what stores them; orders in the order of arrival. */
type Sorted = {
	events: Map<MergedCollection, ProviderEvent[]>;
	orders: OrderPush[];
	tokens: Map<MergedCollection, bigint[]>;
};

/** The lanes that would have read them again. */
const LANES = ["sale", "mint"] as const;

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

/**
 * Makes a job that removes events which left the chain with their block and were not read again,
 * though the provider had told them too: their transaction failed in the new fork, or was replaced.
 * If a lane reads such an event later than this, it is stored anew.
 */
export function doubtJob(options: DoubtOptions): Job {
	const { indexed, scanner, clock } = options;
	return {
		name: "market-index.doubt",
		schedule: { everyMs: DOUBT_EVERY_MS },
		lock: "cluster",
		timeoutMs: DOUBT_EVERY_MS,
		async run({ signal }) {
			for (const { chain } of indexed) {
				for (const kind of LANES) {
					const { indexedBlock } = await scanner.progress(chain.id, kind);
					if (indexedBlock === null) continue;
					const before = new Date(clock.nowMs() - DOUBT_AFTER_MS);
					const doubt = { kind, before, toBlock: indexedBlock - DOUBT_AFTER_BLOCKS };
					while (!signal.aborted) {
						if ((await takeOut(options, chain, doubt)) < DOUBTED_PER_PART_MAX) break;
					}
				}
			}
		},
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

async function takeOut(
	options: DoubtOptions,
	chain: Chain,
	doubt: { kind: (typeof LANES)[number]; before: Date; toBlock: number },
): Promise<number> {
	const chainId = chain.id;
	if ((await findDoubted(options.db, { chainId, ...doubt })).length === 0) return 0;
	return options.db.transaction(async (tx) => {
		await options.scanner.lock(tx, chainId);
		// Read again under the lock: a lane may have read some of them meanwhile.
		const doubted = await findDoubted(tx, { chainId, ...doubt });
		if (doubted.length === 0) return 0;
		const gone = await takeOutUnconfirmed(tx, chainId, doubted);
		await takeBack(options, tx, chain, { gone, standsAlone: async () => [] });
		return doubted.length;
	});
}
