import type {
	Fulfilment,
	OfferedItem,
} from "#plugins/chain-scanner/venues/seaport/FulfilledOrder.ts";
import { nftKey } from "#plugins/chain-scanner/venues/seaport/nftKey.ts";
import { orderSides } from "#plugins/chain-scanner/venues/seaport/orderSides.ts";

/**
 * Says whether the orders of a match give everything that they ask for. Seaport settles no match
 * otherwise, so where something is missing, an order's log is. One order alone is no match.
 */
export function isEverythingMet(fulfilments: readonly Fulfilment[]): boolean {
	if (fulfilments.length < 2) return false;
	const left = new Map<string, bigint>();
	const add = (key: string, amount: bigint) => left.set(key, (left.get(key) ?? 0n) + amount);
	for (const side of fulfilments.map(orderSides)) {
		for (const item of side.givesNfts) add(nftKey(item), item.amount);
		for (const item of side.asksNfts) add(nftKey(item), -item.amount);
		for (const item of side.givesPayments) add(currencyKey(item), item.amount);
		for (const item of side.asksPayments) add(currencyKey(item), -item.amount);
	}
	return [...left.values()].every((amount) => amount >= 0n);
}

function currencyKey({ itemType, token }: OfferedItem): string {
	return itemType === 0 ? "native" : token;
}
