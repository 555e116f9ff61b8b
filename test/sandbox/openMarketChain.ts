import { systemClock } from "#core/clock/systemClock.ts";
import { catalogue } from "./catalogue.ts";
import { createActors } from "./createActors.ts";
import { usdFeedsOf } from "./feeds/usdFeedsOf.ts";
import { openChain } from "./openChain.ts";
import type { Sandbox } from "./startSandbox.ts";

const ACTORS = 40;
const silent = () => {};

/** The market's chain of the sandbox, without what else belongs to its world. */
export type MarketChain = Pick<Sandbox, "httpUrl" | "wsUrl" | "firstBlock" | "usdFeeds" | "stop">;

/**
 * Opens the market's chain with its history and without traffic; each transaction is mined as it
 * comes. Half the work of `startSandbox`, which opens two more chains, all providers, and saves
 * them.
 */
export async function openMarketChain(options: {
	dataDir: string;
	seed: number;
	historyBlocks: number;
}): Promise<MarketChain> {
	const { anvil, world } = await openChain({
		options: { ...options, port: 0 },
		actors: createActors(Math.max(ACTORS, catalogue.length + 1)),
		nowS: () => Math.floor(systemClock.nowMs() / 1_000),
		say: silent,
	});
	await anvil.rpc.call("evm_setAutomine", [true]);
	return {
		httpUrl: `http://127.0.0.1:${anvil.port}`,
		wsUrl: `ws://127.0.0.1:${anvil.port}`,
		firstBlock: world.firstBlock,
		usdFeeds: usdFeedsOf(world),
		stop: anvil.stop,
	};
}
