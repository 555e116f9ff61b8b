import { type Address, encodeDeployData, getContractAddress, type Hex } from "viem";
import type { World } from "../World.ts";
import { feedAbi } from "./feedAbi.ts";

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
