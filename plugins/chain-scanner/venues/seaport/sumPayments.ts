import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { OfferedItem } from "#plugins/chain-scanner/venues/seaport/FulfilledOrder.ts";
import type { Price } from "#plugins/chain-scanner/venues/seaport/Price.ts";

/** Adds payment items up. The native currency and its wrapped form are two currencies. */
export function sumPayments(items: readonly OfferedItem[]): Price {
	let currency: Address | null = null;
	let total = 0n;
	for (const item of items) {
		// 1.1 let a native item name any token; it moved the native currency all the same.
		const token = item.itemType === 0 ? ZERO_ADDRESS : item.token;
		if (currency !== null && currency !== token) return { kind: "severalCurrencies" };
		currency = token;
		total += item.amount;
	}
	return { kind: "amount", currency: currency ?? ZERO_ADDRESS, total };
}
