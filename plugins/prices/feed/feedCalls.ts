import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";

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

function view(to: Address, data: Hex): RpcCall {
	return { method: "eth_call", params: [{ to, data, gas: GAS_MAX }, "latest"] };
}

function word(value: bigint): string {
	return value.toString(16).padStart(64, "0");
}
