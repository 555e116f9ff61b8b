import type { Address } from "viem";
import { etherOf } from "./etherOf.ts";
import type { BookOrder, Collection } from "./Market.ts";

/** Returns open listings that can be filled, the cheapest in ether first. */
export function listingsOf(collection: Collection): BookOrder[] {
	return [...collection.open]
		.filter((order) => order.kind === "listing" && order.status === "ACTIVE")
		.sort((a, b) => unitEther(a) - unitEther(b) || a.seq - b.seq);
}

/** Returns the price of one unit of an order, in ether. */
export function unitEther(order: BookOrder): number {
	return etherOf(order.totalRaw, order.currency) / Number(order.units);
}

/** Returns the units of each holder, the largest first. */
export function holdersOf(collection: Collection): [Address, bigint][] {
	const units = new Map<Address, bigint>();
	for (const holders of collection.holders.values()) {
		for (const [holder, held] of holders) units.set(holder, (units.get(holder) ?? 0n) + held);
	}
	return [...units].sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1));
}

/** Returns the number of sales since a time, and their sum in ether. */
export function salesSince(
	{ sales }: Collection,
	sinceS: number,
): { sales: number; ether: number } {
	let count = 0;
	let ether = 0;
	for (let n = sales.length - 1; n >= 0; n--) {
		const sale = sales[n];
		if (!sale || sale.timeS < sinceS) break;
		count += 1;
		ether += sale.ether;
	}
	return { sales: count, ether };
}
