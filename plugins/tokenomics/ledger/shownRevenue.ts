import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { type OfContract, type Total, totalKey, totals } from "#plugins/tokenomics/sql/totals.ts";

/**
 * Reads the revenue of a router by currency, so many at most: the chain's coin and the currencies
 * that buybacks are made with, then those that came first. Anybody can pay in tokens of their own,
 * also before others do, and must not push out what counts.
 */
export async function shownRevenue(
	db: Queryable,
	of: OfContract,
	{ named, limit }: { named: readonly Address[]; limit: number },
): Promise<Total[]> {
	const first = [...new Set([ZERO_ADDRESS, ...named])];
	const keys = first.map((currency) => totalKey("revenue", { currency }));
	const [counting, oldest] = await Promise.all([
		totals.ofKeys(db, of, keys),
		totals.oldest(db, of, { kind: "revenue", limit: limit + first.length }),
	]);
	const place = ({ currency }: Total) => first.indexOf(currency);
	counting.sort((one, other) => place(one) - place(other));
	const others = oldest.filter(({ currency }) => !first.includes(currency));
	return [...counting, ...others].slice(0, limit);
}
