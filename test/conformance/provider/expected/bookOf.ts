import type { Place, WorldCollection, WorldOrder } from "#test/conformance/provider/world/World.ts";

/** The listings of one contract that anybody may fill, the cheapest unit first. */
export function asksOf(collection: WorldCollection, place: Place): WorldOrder[] {
	return collection.orders
		.filter(({ kind, taker }) => kind === "listing" && taker === null)
		.filter((order) => order.place.address === place.address)
		.sort((a, b) => unitPriceOf(a) - unitPriceOf(b));
}

export function offersOf(collection: WorldCollection): WorldOrder[] {
	return collection.orders.filter(({ kind }) => kind !== "listing");
}

/** Returns the price of one unit, in whole coins of its currency (1.5 ETH is 1.5). */
export function unitPriceOf({ price: { total, coin }, quantity }: WorldOrder): number {
	return Number(total) / 10 ** coin.decimals / quantity;
}

/** The floor by the specification: the best ask, where it is in ether; else unknown. */
export function floorOf(collection: WorldCollection, place: Place): number | null {
	const [best] = asksOf(collection, place);
	return best && best.price.coin.symbol === "ETH" ? unitPriceOf(best) : null;
}

/** Tokens with a listing, each once. */
export function listedOf(collection: WorldCollection, place: Place): number {
	return new Set(asksOf(collection, place).map(({ token }) => token?.id)).size;
}
