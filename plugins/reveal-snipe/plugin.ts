import { join } from "node:path";
import { Elysia } from "elysia";
import { z } from "zod";
import { commaList } from "#core/config/fields.ts";
import { definePlugin } from "#core/plugin/Plugin.ts";
import { MarketIndexKey } from "#plugins/market-index/contract.ts";
import { SIGNALS } from "#plugins/reveal-snipe/detection.ts";
import {
	FILLS_PER_MINUTE_DEFAULT,
	FILLS_PER_MINUTE_MAX,
	KEPT_MS,
	NAMED_EVERY_MS,
	PRUNE_EVERY_MS,
} from "#plugins/reveal-snipe/limits.ts";
import { openPlans } from "#plugins/reveal-snipe/openPlans.ts";
import { plansCommands } from "#plugins/reveal-snipe/plansTools.ts";
import { revealRoutes } from "#plugins/reveal-snipe/routes/revealRoutes.ts";
import { pruneDetections, pruneSeen } from "#plugins/reveal-snipe/sql/detections.ts";
import { type ChainWatch, watchChain, watchNamed } from "#plugins/reveal-snipe/watch/watchChain.ts";
import { WalletsKey } from "#plugins/wallets/contract.ts";

/** Detects reveals in the block where they happen, and has all tokens read and ranked at once. */
export const revealSnipePlugin = definePlugin({
	name: "reveal-snipe",
	version: "1",
	config: z.object({
		NFT_REVEAL_WATCH: commaList(z.string().regex(/^[^/\s]+\/[^/\s]+$/))
			.default([])
			.meta({ expects: "chain/slug or chain/contract, separated by commas" })
			.describe("Collections that are watched for a reveal although no plan is armed."),
		NFT_REVEAL_SIGNALS: commaList(z.enum(SIGNALS))
			.default([...SIGNALS])
			.meta({ expects: `names among ${SIGNALS.join(", ")}` })
			.describe("What makes the service look for a reveal, and what it looks at then."),
		NFT_SNIPE_ENABLED: z
			.boolean()
			.default(true)
			.describe("Whether plans are armed and carried out. False: nothing is bought by itself."),
		NFT_SNIPE_FILLS_PER_MINUTE: z
			.int()
			.min(1)
			.max(FILLS_PER_MINUTE_MAX)
			.default(FILLS_PER_MINUTE_DEFAULT)
			.describe(
				"Buys that all plans together begin in a minute; each costs the provider two calls.",
			),
	}),
	needs: { market: MarketIndexKey, wallets: WalletsKey },
	tables: { schema: "reveal_snipe", folder: join(import.meta.dir, "migrations") },
	setup({ config, needs, core }) {
		const { db } = core;
		const { reveals: index, find } = needs.market;
		const ending = new AbortController();
		const { NFT_SNIPE_ENABLED: isOn, NFT_SNIPE_FILLS_PER_MINUTE: fillsPerMinute } = config;
		const plans = openPlans({ core, ...needs, isOn, fillsPerMinute, ending });
		const { onCovered, onShown } = plans;
		const watches: ChainWatch[] = [];
		return {
			routes: new Elysia().use(revealRoutes({ core, index })).use(plans.routes),
			tools: plans.tools,
			commands: plansCommands,
			jobs: [
				...plans.jobs,
				{
					name: "reveal-snipe.named",
					schedule: { everyMs: NAMED_EVERY_MS },
					lock: "cluster",
					timeoutMs: 10_000,
					run: () => watchNamed({ core, find }, config.NFT_REVEAL_WATCH),
				},
				{
					name: "reveal-snipe.prune",
					schedule: { everyMs: PRUNE_EVERY_MS },
					lock: "cluster",
					timeoutMs: 60_000,
					async run() {
						await pruneDetections(db, KEPT_MS);
						await pruneSeen(db);
					},
				},
			],
			start() {
				if (core.role === "api") return;
				const signals = new Set(config.NFT_REVEAL_SIGNALS);
				const { signal } = ending;
				for (const access of core.indexed) {
					const deps = { core, access, index, signals, onCovered, onShown, signal };
					watches.push(watchChain(deps));
				}
			},
			async stop() {
				ending.abort();
				await Promise.all([...watches.map((watch) => watch.ended()), plans.ended()]);
			},
		};
	},
});
