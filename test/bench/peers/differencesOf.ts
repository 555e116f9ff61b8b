import type { ChainFigures } from "#test/bench/peers/readChain.ts";

/** Without these nothing is proven about a peer's rows. */
const REQUIRED = ["mints", "paid", "sales", "volume"] as const;

/**
 * Returns a line for each sum of an index that differs from the chain's; none means it is right. A
 * column's name may begin with where it was counted: `counted_sales` is compared with `sales`.
 */
export function differencesOf(found: Record<string, unknown>, chain: ChainFigures): string[] {
	const missing = REQUIRED.filter((name) => found[name] === undefined);
	const differences = missing.map((name) => `${name} was not added up`);
	for (const [column, value] of Object.entries(found)) {
		const name = column.slice(column.lastIndexOf("_") + 1);
		const expected = (chain as Record<string, string>)[name];
		if (String(value) !== expected) {
			differences.push(`${column} is ${value}, on the chain ${expected}`);
		}
	}
	return differences;
}
