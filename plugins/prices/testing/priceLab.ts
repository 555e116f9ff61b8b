// Runs the prices plugin over a fake node and a real database, for tests.

import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { Core } from "#core/plugin/Core.ts";
import { nothingCollected } from "#core/plugin/testing/nothingCollected.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import { usdFeeds } from "#plugins/prices/feed.ts";
import { pricesPlugin } from "#plugins/prices/plugin.ts";
import { createFeedNode } from "#plugins/prices/testing/feedNode.ts";

export const START_MS = 1_800_000_000_000;
export const ETH_FEED: Address = `0x${"e7".repeat(20)}`;
export const COIN_FEED: Address = `0x${"cf".repeat(20)}`;
export const COIN: Address = `0x${"c0".repeat(20)}`;
export const coin = { chainId: 8_453, currency: COIN };

const chains = createChainRegistry(builtinChains);
type Learned = Parameters<Parameters<Prices["onLearned"]>[0]>[0];

/** Opens the plugin as it ships on Base, over a real database and a node with two feeds. */
export function createPriceLab(db: Database) {
	const node = createFeedNode();
	const warnings: string[] = [];
	const metrics = createMetrics({ processMetrics: false });
	let nowMs = START_MS;
	const chain = chains.byId(8_453);
	if (!chain) throw new Error("Base is not there");
	const config = usdFeeds.parse({
		8453: {
			[ZERO_ADDRESS]: { feed: ETH_FEED },
			[COIN]: { feed: COIN_FEED, heartbeatSeconds: 86_400, symbol: "usdx" },
		},
	});
	const core = {
		role: "worker",
		db,
		chains,
		metrics,
		clock: { nowMs: () => nowMs },
		log: { ...silentLog, warn: (line: string) => void warnings.push(line) },
		reached: [{ chain, rpcFor: () => node.rpc, headUrls: [] }],
	} as unknown as Core;

	/** Opens one process: its service, and its jobs, to be run by hand. */
	async function open() {
		const parts = await pricesPlugin.setup({
			config: { USD_FEEDS_JSON: config },
			needs: {},
			core,
			contributions: () => [],
			collected: nothingCollected,
		});
		const { service, jobs = [] } = parts;
		if (!service) throw new Error("the plugin offers no prices");
		const learned: Learned[] = [];
		service.onLearned(async (span) => void learned.push(span));
		const signal = new AbortController().signal;
		return {
			prices: service,
			learned,
			jobs,
			async run(name: "poll" | "history" | "retell", times = 1) {
				const job = jobs.find((one) => one.name === `prices.${name}`);
				for (let count = 0; count < times; count++) await job?.run({ signal });
			},
			/** Starts as a process does: reads the tables, and then polls. */
			async start() {
				await parts.start?.(signal);
				await parts.stop?.();
			},
		};
	}
	return {
		node,
		warnings,
		open,
		setNow: (ms: number) => {
			nowMs = ms;
		},
		async counted(reason: string) {
			const { body } = await metrics.expose();
			const line = body.split("\n").find((text) => text.includes(`reason="${reason}"`));
			return Number(line?.split(" ").at(-1) ?? 0);
		},
		async clear() {
			nowMs = START_MS;
			await db.execute("truncate prices.round, prices.feed, prices.token, prices.gap");
		},
	};
}
