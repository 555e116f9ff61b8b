import { describe, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { feedsOf, usdFeeds } from "#plugins/prices/feed.ts";

describe("feedsOf", () => {
	const chains = createChainRegistry(builtinChains);
	const MAINNET_ETH: Address = "0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419";
	const FEED: Address = `0x${"ab".repeat(20)}`;
	const COIN: Address = `0x${"c0".repeat(20)}`;
	const read = (config: unknown, reached: number[]) =>
		feedsOf(usdFeeds.parse(config), { chains, reached: new Set(reached) });

	test("mainnet's ETH feed is configured by default if mainnet is reached, and only then", () => {
		expect(read({}, [8_453])).toEqual({ feeds: [], unreachable: [] });
		expect(read({}, [1]).feeds).toMatchObject([
			{ isEth: true, address: MAINNET_ETH, feedChainId: 1, heartbeatMs: 3_600_000 },
		]);
		const other = read({ 1: { [ZERO_ADDRESS]: { feed: FEED } } }, [1]);
		expect(other.feeds.map(({ address }) => address)).toEqual([FEED]);
	});

	test("a feed may be on another chain than its asset; a feed on an unreachable chain is reported", () => {
		const config = {
			137: { [ZERO_ADDRESS]: { feed: FEED, feedChain: 8_453, heartbeatSeconds: 120 } },
			10: { [COIN]: { feed: FEED, decimals: 6 } },
		};
		const { feeds, unreachable } = read(config, [8_453]);
		expect(feeds).toMatchObject([
			{ priced: { chainId: 137 }, feedChainId: 8_453, isEth: false, currencyDecimals: 18 },
		]);
		expect(unreachable).toMatchObject([{ priced: { chainId: 10, currency: COIN } }]);
	});

	test("a wrapped native coin has the coin's price, and addresses are read in any case", () => {
		const weth = chains.byId(8_453)?.wrappedNative ?? ZERO_ADDRESS;
		const { feeds } = read(
			{ 8453: { [weth]: { feed: FEED.toUpperCase().replace("X", "x") } } },
			[8_453],
		);
		expect(feeds).toMatchObject([
			{ isEth: true, address: FEED, priced: { currency: ZERO_ADDRESS } },
		]);
	});

	test("an invalid feed is refused with its position and the reason", () => {
		const messages = (config: unknown) => usdFeeds.safeParse(config).error?.message ?? "";
		expect(messages({ ethereum: {} })).toContain("a chain is named by its decimal id");
		expect(messages({ 1: { "0x12": { feed: FEED } } })).toContain(
			"an address is 0x and 40 hex digits",
		);
		expect(messages({ 1: { [COIN]: { feed: "0x12" } } })).toContain("40 hex digits");
		expect(messages({ 1: { [COIN]: { feed: FEED, heartbeatSeconds: 0 } } })).not.toBe("");
		expect(messages({ 1: { [COIN]: { feed: FEED, heartbeat: 1 } } })).toContain("heartbeat");
		expect(messages({ 1: { [COIN]: { feed: FEED, decimals: 78 } } })).not.toBe("");
	});
});
