// Calculates from a world what the service must answer.

import type {
	Place,
	WorldCollection,
	WorldEvent,
	WorldOrder,
} from "#test/conformance/provider/world/World.ts";

export type Day = {
	sales: number;
	/** ETH equivalent of the sales whose price is known; null where there were sales and none is. */
	volume: number | null;
	/** Share of the sales whose price is known. */
	coverage: number;
	prices: number[];
};

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export function offersOf(collection: WorldCollection): WorldOrder[] {
	return collection.orders.filter(({ kind }) => kind !== "listing");
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

/** The listings of one contract that anybody may fill, the cheapest unit first. */
export function asksOf(collection: WorldCollection, place: Place): WorldOrder[] {
	return collection.orders
		.filter(({ kind, taker }) => kind === "listing" && taker === null)
		.filter((order) => order.place.address === place.address)
		.sort((a, b) => unitPriceOf(a) - unitPriceOf(b));
}

/** Returns the price of one unit, in whole coins of its currency (1.5 ETH is 1.5). */
export function unitPriceOf({ price: { total, coin }, quantity }: WorldOrder): number {
	return Number(total) / 10 ** coin.decimals / quantity;
}

/**
 * A contract's last 24 hours by the specification's words: from the start of the whole minute on,
 * accepted sales only, totals added up, other money than ether unknown where nobody tells its rate.
 */
export function dayOf(collection: WorldCollection, place: Place, atMs: number): Day {
	const fromMs = Math.floor((atMs - DAY_MS) / MINUTE_MS) * MINUTE_MS;
	const sales = collection.events.filter((event) => {
		if (event.kind !== "sale" || event.token.place.address !== place.address) return false;
		return event.atS * 1_000 >= fromMs && event.atS * 1_000 <= atMs && isAccepted(event);
	});
	const known = sales.flatMap((sale) => {
		const total = etherOf(sale);
		return total === null ? [] : [{ total, price: total / sale.quantity }];
	});
	const sum = known.reduce((all, { total }) => all + total, 0);
	return {
		sales: sales.length,
		volume: sales.length > 0 && known.length === 0 ? null : sum,
		coverage: sales.length === 0 ? 1 : known.length / sales.length,
		prices: known.map(({ price }) => price),
	};
}

/** For nothing, or with oneself, is no sale that counts. */
export function isAccepted({ price, from, to }: WorldEvent): boolean {
	return price !== null && price.total > 0n && from !== to;
}

/** What a sale is worth in ether; null where its currency's rate is not known. */
export function etherOf({ price, token }: WorldEvent): number | null {
	if (!price) return null;
	const { symbol, decimals } = price.coin;
	const isEther = (symbol === "ETH" || symbol === "WETH") && token.place.chain !== "ape_chain";
	return isEther ? Number(price.total) / 10 ** decimals : null;
}
