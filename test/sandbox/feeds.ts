// Deploys the sandbox's price feeds, and publishes their rounds.

import {
	type Address,
	encodeDeployData,
	encodeFunctionData,
	getContractAddress,
	type Hex,
	parseAbi,
	zeroAddress,
} from "viem";
import { catalogue } from "./catalogue.ts";
import { addTx, type Scene } from "./traffic/Scene.ts";
import type { World } from "./World.ts";

/** The currency of a feed. Answers are in hundred-millionths of a dollar. */
export type FeedOf = "eth" | "coin";

/** The functions of a SandboxFeed. */
export const feedAbi = parseAbi([
	"constructor(string about)",
	"function publish(int192 answer)",
	"function decimals() view returns (uint8)",
	"function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)",
	"function getRoundData(uint80 id) view returns (uint80, int256, uint256, uint256, uint80)",
]);

const CENTRE: Record<FeedOf, number> = { eth: 2_500, coin: 1 };
/** How far the price deviates, as a share, and the period of that wave. */
const SWING: Record<FeedOf, number> = { eth: 0.04, coin: 0.0004 };
const TURN_S: Record<FeedOf, number> = { eth: 86_400, coin: 21_600 };

/** Blocks that are closer share a round: a feed publishes by time, not in each block. */
const ROUND_EVERY_S = 300;

const CHAIN_ID = 31_337;
const HEARTBEAT_SECONDS = 3_600;

/**
 * Returns the deployment of each feed, and its address: right after the coin, by the same account.
 */
export function planFeeds(
	banker: Address,
	creation: Hex,
): { feeds: World["feeds"]; deploys: Hex[] } {
	const named = [
		{ of: "eth", about: "ETH / USD" },
		{ of: "coin", about: "LNTRN / USD" },
	] as const;
	return {
		feeds: named.map(({ of }, index) => ({
			of,
			address: getContractAddress({ from: banker, nonce: BigInt(index + 1) }),
			roundAtS: 0,
		})),
		deploys: named.map(({ about }) =>
			encodeDeployData({ abi: feedAbi, bytecode: creation, args: [about] }),
		),
	};
}

/** Publishes a round of every feed that is due. */
export function planRounds(scene: Scene): void {
	const { world, nowS } = scene;
	for (const feed of world.feeds) {
		if (nowS - feed.roundAtS < ROUND_EVERY_S) continue;
		feed.roundAtS = nowS;
		const data = encodeFunctionData({
			abi: feedAbi,
			functionName: "publish",
			args: [usdAnswer(feed.of, nowS)],
		});
		addTx(scene, { actor: catalogue.length, to: feed.address, data, value: 0n, label: "round" });
	}
}

/**
 * Returns the price at a time: the same in every world and after every restart, so that nothing
 * must be stored and no other random number changes.
 */
export function usdAnswer(of: FeedOf, timeS: number): bigint {
	const turn = (2 * Math.PI * timeS) / TURN_S[of];
	const wave = (Math.sin(turn) + Math.sin(turn * 7.3) / 4) / 1.25;
	return BigInt(Math.round(CENTRE[of] * (1 + SWING[of] * wave) * 1e8));
}

/** Returns the world's feeds as a service is configured with them (`USD_FEEDS_JSON`). */
export function usdFeedsOf({ feeds, coin }: Pick<World, "feeds" | "coin">) {
	const byToken = feeds.map(({ of, address }) => [
		of === "eth" ? zeroAddress : coin,
		{
			feed: address,
			heartbeatSeconds: HEARTBEAT_SECONDS,
			...(of === "coin" && { symbol: "LNTRN" }),
		},
	]);
	return feeds.length > 0 ? { [CHAIN_ID]: Object.fromEntries(byToken) } : {};
}
