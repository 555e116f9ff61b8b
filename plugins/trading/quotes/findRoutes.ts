import type { Address } from "#core/chain/Hex.ts";
import { HOPS_MAX, POOLS_PER_PAIR, ROUTES_MAX } from "#plugins/trading/limits.ts";
import type { Hop } from "#plugins/trading/quotes/QuoteSource.ts";
import type { Pool } from "#plugins/trading/registry/Asset.ts";

/**
 * Returns the routes from one token to another through configured pools: directly, or through the
 * connectors. Routes with few and liquid pools come first, at most `ROUTES_MAX`: each costs a call.
 */
export function findRoutes(
	pools: readonly Pool[],
	{
		tokenIn,
		tokenOut,
		connectors,
	}: { tokenIn: Address; tokenOut: Address; connectors: readonly Address[] },
): Hop[][] {
	if (tokenIn === tokenOut) return [];
	const between = connectors.filter((token) => token !== tokenIn && token !== tokenOut);
	const ways = orderedSubsets(between, HOPS_MAX - 1).map((middle) => [
		tokenIn,
		...middle,
		tokenOut,
	]);
	const routes = ways
		.sort((one, other) => one.length - other.length)
		.flatMap((tokens) => routesOver(pools, tokens));
	return routes.slice(0, ROUTES_MAX);
}

/** Returns all ordered selections of at most `sizeMax` items, the empty one first. */
function orderedSubsets(items: readonly Address[], sizeMax: number): Address[][] {
	if (sizeMax === 0) return [[]];
	const longer = items.flatMap((first) => {
		const rest = items.filter((item) => item !== first);
		return orderedSubsets(rest, sizeMax - 1).map((others) => [first, ...others]);
	});
	return [[], ...longer];
}

function routesOver(pools: readonly Pool[], tokens: readonly Address[]): Hop[][] {
	let routes: Hop[][] = [[]];
	for (const [index, tokenOut] of tokens.slice(1).entries()) {
		const tokenIn = tokens[index];
		if (tokenIn === undefined) return [];
		const hops = poolsOf(pools, tokenIn, tokenOut).map(
			({ address, feeBps100 }): Hop => ({
				version: "v3",
				...{ pool: address, tokenIn, tokenOut, fee: feeBps100 },
			}),
		);
		routes = routes.flatMap((route) => hops.map((hop) => [...route, hop]));
	}
	return routes;
}

function poolsOf(pools: readonly Pool[], one: Address, other: Address): Pool[] {
	return pools
		.filter(({ version, token0, token1 }) => {
			const isPair = (token0 === one && token1 === other) || (token0 === other && token1 === one);
			return version === "v3" && isPair;
		})
		.slice(0, POOLS_PER_PAIR);
}
