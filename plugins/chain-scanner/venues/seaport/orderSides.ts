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
export function orderSides(fulfilment: Fulfilment): OrderSides {
	const offer = fulfilment.order.offer.filter((item) => item.amount > 0n);
	const consideration = fulfilment.order.consideration.filter((item) => item.amount > 0n);
	return {
		...fulfilment,
		givesNfts: offer.filter(isNft),
		givesPayments: offer.filter((item) => !isNft(item)),
		asksNfts: consideration.filter(isNft),
		asksPayments: consideration.filter((item) => !isNft(item)),
	};
}

function isNft(item: OfferedItem): boolean {
	return item.itemType === 2 || item.itemType === 3;
}
