import type {
	Fulfilment,
	OfferedItem,
	ReceivedItem,
} from "#plugins/chain-scanner/venues/seaport/FulfilledOrder.ts";

/** An order by what it gives and what it asks for. Items that moved nothing are left out. */
export type OrderSides = Fulfilment & {
	givesNfts: OfferedItem[];
	givesPayments: OfferedItem[];
	asksNfts: ReceivedItem[];
	asksPayments: ReceivedItem[];
};

/** Sorts an order's items; every later conclusion starts from these four lists. */
export function orderSides({ logIndex, order }: Fulfilment): OrderSides {
	const [givesNfts, givesPayments] = sorted(order.offer);
	const [asksNfts, asksPayments] = sorted(order.consideration);
	return { logIndex, order, givesNfts, givesPayments, asksNfts, asksPayments };
}

function sorted<Item extends OfferedItem>(
	items: readonly Item[],
): [nfts: Item[], payments: Item[]] {
	const nfts: Item[] = [];
	const payments: Item[] = [];
	for (const item of items) {
		if (item.amount === 0n) continue;
		if (item.itemType === 2 || item.itemType === 3) nfts.push(item);
		else payments.push(item);
	}
	return [nfts, payments];
}
