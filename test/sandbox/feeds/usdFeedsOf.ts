import { zeroAddress } from "viem";
import type { World } from "../World.ts";

const CHAIN_ID = 31_337;
const HEARTBEAT_SECONDS = 3_600;

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
