import { splitByUnit } from "#core/money/splitByUnit.ts";
import type { Price } from "#plugins/chain-scanner/venues/seaport/Price.ts";

/** Returns each row's share of an order's price; a price without an amount is the same for all. */
export function splitPrice(price: Price, quantities: readonly bigint[]): Price[] {
	if (price.kind !== "amount") return quantities.map(() => price);
	return splitByUnit(price.total, quantities).map((total) => ({ ...price, total }));
}
