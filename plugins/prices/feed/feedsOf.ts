import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Feed } from "#plugins/prices/feed/Feed.ts";
import type { UsdFeeds } from "#plugins/prices/feed/usdFeeds.ts";
import { HEARTBEAT_SECONDS_DEFAULT } from "#plugins/prices/limits.ts";

const MAINNET = 1;

/** Chainlink's ETH/USD on mainnet: 8 decimals, a round at least each hour. */
const MAINNET_ETH_FEED: Address = "0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419";

/**
 * Returns the feeds that can be read, those of ETH in order of preference: mainnet's first, then by
 * chain id. Mainnet's is built in where mainnet is reached. Feeds on a chain that this deployment
 * does not reach, or for an undefined chain, are returned as `unreachable`.
 */
export function feedsOf(
	config: UsdFeeds,
	{ chains, reached }: { chains: ChainRegistry; reached: ReadonlySet<number> },
): { feeds: Feed[]; unreachable: Feed[] } {
	const feeds: Feed[] = [];
	const unreachable: Feed[] = [];
	for (const feed of [...configured(config, chains), ...builtIn(chains)]) {
		const isKnown = chains.byId(feed.priced.chainId) !== undefined;
		if (isKnown && reached.has(feed.feedChainId)) feeds.push(feed);
		else if (feed.address !== MAINNET_ETH_FEED) unreachable.push(feed);
	}
	const unique = new Map<string, Feed>();
	for (const feed of feeds) {
		const name = `${feed.priced.chainId}:${feed.priced.currency}`;
		if (!unique.has(name)) unique.set(name, feed);
	}
	return { feeds: [...unique.values()].sort(byChain), unreachable };
}

function configured(config: UsdFeeds, chains: ChainRegistry): Feed[] {
	return Object.entries(config).flatMap(([id, tokens]) => {
		const chain = chains.byId(Number(id));
		return Object.entries(tokens).map(([token, given]): Feed => {
			const isNative = token === ZERO_ADDRESS || token === chain?.wrappedNative;
			const currency: Address = isNative ? ZERO_ADDRESS : `0x${token.slice(2)}`;
			const coinDecimals = isNative ? (chain?.nativeCurrency.decimals ?? null) : null;
			return {
				priced: { chainId: Number(id), currency },
				isEth: isNative && chain?.nativeIsEth === true,
				feedChainId: given.feedChain ?? Number(id),
				address: given.feed,
				heartbeatMs: given.heartbeatSeconds * 1_000,
				currencyDecimals: coinDecimals ?? given.decimals ?? null,
				symbol: given.symbol?.toUpperCase() ?? null,
			};
		});
	});
}

function builtIn(chains: ChainRegistry): Feed[] {
	const decimals = chains.byId(MAINNET)?.nativeCurrency.decimals;
	if (decimals === undefined) return [];
	return [
		{
			priced: { chainId: MAINNET, currency: ZERO_ADDRESS },
			isEth: true,
			feedChainId: MAINNET,
			address: MAINNET_ETH_FEED,
			heartbeatMs: HEARTBEAT_SECONDS_DEFAULT * 1_000,
			currencyDecimals: decimals,
			symbol: null,
		},
	];
}

function byChain(a: Feed, b: Feed): number {
	return a.priced.chainId - b.priced.chainId;
}
