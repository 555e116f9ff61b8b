// Reads the configured price feeds, and decides which of them can be read.

import { z } from "zod";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { DECIMALS_MAX } from "#core/money.ts";
import type { Priced } from "#plugins/prices/contract.ts";
import {
	FEEDS_MAX,
	HEARTBEAT_SECONDS_DEFAULT,
	HEARTBEAT_SECONDS_MAX,
} from "#plugins/prices/limits.ts";
import { isBridgedEther } from "#plugins/prices/pricesOver.ts";

/** Holds one price, and the on-chain aggregator that has it. */
export type Feed = {
	/** The zero address for a chain's coin; never its wrapped form. */
	priced: Priced;
	/** True: the feed prices ETH, on any chain: the unit of all other prices. */
	isEth: boolean;
	/** The chain of the aggregator. */
	feedChainId: number;
	address: Address;
	heartbeatMs: number;
	/** Decimals of the priced currency; null until its contract was asked. */
	currencyDecimals: number | null;
	/** In upper case; null where only the address is configured. */
	symbol: string | null;
};

const MAINNET = 1;

/** Chainlink's ETH/USD on mainnet: 8 decimals, a round at least each hour. */
const MAINNET_ETH_FEED: Address = "0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419";

const address = z
	.string()
	.regex(/^0x[0-9a-fA-F]{40}$/, "an address is 0x and 40 hex digits")
	.transform((text) => text.toLowerCase())
	.pipe(z.templateLiteral(["0x", z.string()]));

const chainId = z.string().regex(/^[1-9][0-9]{0,15}$/, "a chain is named by its decimal id");

const feed = z.strictObject({
	feed: address,
	heartbeatSeconds: z
		.number()
		.int()
		.min(1)
		.max(HEARTBEAT_SECONDS_MAX)
		.default(HEARTBEAT_SECONDS_DEFAULT),
	feedChain: z.number().int().positive().optional(),
	decimals: z.number().int().min(0).max(DECIMALS_MAX).optional(),
	symbol: z.string().trim().min(1).max(32).optional(),
});

/**
 * The shape of `USD_FEEDS_JSON`: by chain id, then by token (the zero address is the chain's coin).
 *
 * @example {"1":{"0x0000000000000000000000000000000000000000":{"feed":"0x5f4e…","heartbeatSeconds":3600}}}
 */
export const usdFeeds = z.record(chainId, z.record(address, feed)).refine(
	(chains) => {
		const counts = Object.values(chains).map((tokens) => Object.keys(tokens).length);
		return counts.reduce((sum, count) => sum + count, 0) <= FEEDS_MAX;
	},
	{ message: `at most ${FEEDS_MAX} feeds` },
);

export type UsdFeeds = z.output<typeof usdFeeds>;

/** Returns the key of an aggregator; one aggregator may price several currencies. */
export function feedKey(feed: Pick<Feed, "feedChainId" | "address">): string {
	return `${feed.feedChainId}:${feed.address}`;
}

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
			const chainId = Number(id);
			const isNative = token === ZERO_ADDRESS || token === chain?.wrappedNative;
			const currency: Address = isNative ? ZERO_ADDRESS : `0x${token.slice(2)}`;
			const coinDecimals = isNative ? (chain?.nativeCurrency.decimals ?? null) : null;
			return {
				priced: { chainId, currency },
				isEth: isNative ? chain?.nativeIsEth === true : isBridgedEther({ chainId, currency }),
				feedChainId: given.feedChain ?? chainId,
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
