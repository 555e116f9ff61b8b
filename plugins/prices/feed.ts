import { z } from "zod";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import { DECIMALS_MAX } from "#core/money.ts";
import type { Priced } from "#plugins/prices/contract.ts";
import {
	AHEAD_MS_MAX,
	ANSWER_BITS_MAX,
	FEEDS_MAX,
	HEARTBEAT_SECONDS_DEFAULT,
	HEARTBEAT_SECONDS_MAX,
} from "#plugins/prices/limits.ts";

/** One price, and the on-chain aggregator that has it. */
export type Feed = {
	/** The zero address for a chain's coin; never its wrapped form. */
	priced: Priced;
	/** True: prices ETH, on whatever chain: the unit of all other prices. */
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

/** One answer of an aggregator. Behind a proxy the id is `phase << 64 | round`. */
export type Round = { id: bigint; answer: bigint; updatedAtMs: number };

/** Why an answer is no round. `missing` is a gap in a feed's ids. */
export type RoundProblem = "missing" | "malformed" | "not_positive" | "too_large" | "in_future";

/** The most gas that an untrusted contract may use. */
const GAS_MAX = "0x7a120";

/** Selectors of the newest round and of decimals, for callers that build their calls otherwise. */
export const feedSelectors: Record<"latestRound" | "decimals", Hex> = {
	latestRound: "0xfeaf968c",
	decimals: "0x313ce567",
};

/** Calls to aggregators (Chainlink's AggregatorV3Interface and its proxy) and tokens. */
export const feedCalls = {
	latestRound: (feed: Address) => view(feed, feedSelectors.latestRound),
	round: (feed: Address, id: bigint) => view(feed, `0x9a6fc8f5${word(id)}`),
	decimals: (of: Address) => view(of, feedSelectors.decimals),
	/** Returns the call for the aggregator behind a proxy in one phase. */
	phaseAggregator: (feed: Address, phase: bigint) => view(feed, `0xc1597304${word(phase)}`),
	/** Returns the call for an aggregator's own newest round id, without a phase. */
	latestRoundId: (aggregator: Address) => view(aggregator, "0x668a0f02"),
};

const MAINNET = 1;

/** Chainlink's ETH/USD on mainnet: 8 decimals, a round at least each hour. */
const MAINNET_ETH_FEED: Address = "0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419";

/** Words of an answer: round id, answer, started at, updated at, answered in round. */
const ROUND_WORDS = 5;
const SIGN_BIT = 1n << 255n;
/** Round ids are uint80. */
const ID_END = 1n << 80n;

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

/** Parses the answer of `latestRoundData` or `getRoundData`, and checks every part of it. */
export function parseRound(
	answer: unknown,
	nowMs: number,
): { kind: "round"; round: Round } | { kind: "problem"; problem: RoundProblem } {
	if (answer === "0x" || answer === null) return problem("missing");
	if (typeof answer !== "string" || !/^0x[0-9a-f]{320}$/i.test(answer)) return problem("malformed");
	const words = Array.from({ length: ROUND_WORDS }, (_, index) =>
		BigInt(`0x${answer.slice(2 + index * 64, 66 + index * 64)}`),
	);
	const [id = 0n, price = 0n, , updatedAt = 0n] = words;
	if (updatedAt === 0n) return problem("missing");
	if (id === 0n || id >= ID_END) return problem("malformed");
	if (price === 0n || price >= SIGN_BIT) return problem("not_positive");
	if (price >> ANSWER_BITS_MAX !== 0n) return problem("too_large");
	if (updatedAt * 1_000n > BigInt(nowMs + AHEAD_MS_MAX)) return problem("in_future");
	return { kind: "round", round: { id, answer: price, updatedAtMs: Number(updatedAt) * 1_000 } };
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

function problem(name: RoundProblem): { kind: "problem"; problem: RoundProblem } {
	return { kind: "problem", problem: name };
}

function view(to: Address, data: Hex): RpcCall {
	return { method: "eth_call", params: [{ to, data, gas: GAS_MAX }, "latest"] };
}

function word(value: bigint): string {
	return value.toString(16).padStart(64, "0");
}
