import type { WorldCollection, WorldEvent } from "#test/conformance/provider/world/World.ts";

const INTERVALS = [
	["one_day", 1],
	["seven_days", 7],
	["thirty_days", 30],
] as const;

/** A collection's figures as the provider tells them: from its own events, or as it claims. */
export function statsOf({ events, orders, tokens, claims }: WorldCollection, nowMs: number) {
	const nowS = Math.floor(nowMs / 1_000);
	const sales = events.filter(({ kind, atS }) => kind === "sale" && atS <= nowS);
	const listings = orders.filter(
		({ kind, endS, taker }) => kind === "listing" && endS > nowS && taker === null,
	);
	const asks = listings.map(({ price, quantity }) => ({
		price: wholeCoins(price) / quantity,
		symbol: price.coin.symbol,
	}));
	const cheapest = asks.reduce<(typeof asks)[number] | null>(
		(best, ask) => (best === null || ask.price < best.price ? ask : best),
		null,
	);
	const floor = claims.floor ?? cheapest ?? { price: 0, symbol: "" };
	return {
		total: {
			...sumOf(sales, claims.total),
			num_owners: claims.owners ?? new Set(tokens.map(({ owner }) => owner)).size,
			floor_price: floor.price,
			floor_price_symbol: floor.symbol,
		},
		intervals: INTERVALS.map(([interval, days]) => ({
			interval,
			...sumOf(
				sales.filter(({ atS }) => atS > nowS - days * 86_400),
				interval === "one_day" ? claims.day : undefined,
			),
		})),
	};
}

function sumOf(
	sales: readonly WorldEvent[],
	claimed: { volume: number; volumeSymbol: string; sales: number } | undefined,
) {
	if (claimed) {
		const { volumeSymbol, ...rest } = claimed;
		return { ...rest, volume_symbol: volumeSymbol };
	}
	const priced = sales.flatMap(({ price }) => price ?? []);
	const [first] = priced;
	const symbol = first?.coin.symbol === "WETH" ? "ETH" : (first?.coin.symbol ?? "ETH");
	return {
		volume: priced.reduce((sum, price) => sum + wholeCoins(price), 0),
		volume_symbol: symbol,
		sales: sales.length,
	};
}

function wholeCoins({ total, coin }: { total: bigint; coin: { decimals: number } }): number {
	return Number(total) / 10 ** coin.decimals;
}
