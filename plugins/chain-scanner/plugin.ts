// Wires the scanner: its settings, its service, its commands, and one run for each chain.

import { join } from "node:path";
import { z } from "zod";
import { contribute, definePlugin } from "#core/plugin/Plugin.ts";
import { quarantineJob } from "#core/quarantine.ts";
import { type EventSink, ScannerKey, VenuePoint } from "#plugins/chain-scanner/contract.ts";
import { decodeCommand } from "#plugins/chain-scanner/decodeCommand.ts";
import {
	createLaneHealth,
	laneProgress,
	scannerMetrics,
	unreadBlocks,
} from "#plugins/chain-scanner/laneHealth.ts";
import {
	LAG_BLOCKS_DEFAULT,
	LAG_BLOCKS_LEAST,
	LAG_BLOCKS_MOST,
	REORG_DEPTH_DEFAULT,
	REORG_DEPTH_LEAST,
	REORG_DEPTH_MOST,
} from "#plugins/chain-scanner/limits.ts";
import {
	backfillCommand,
	gapsCommand,
	rewindCommand,
} from "#plugins/chain-scanner/operator/backfillCommand.ts";
import {
	createOperator,
	type ScannerOperator,
} from "#plugins/chain-scanner/operator/createOperator.ts";
import { runChain } from "#plugins/chain-scanner/runChain.ts";
import { sampleStrangersJob } from "#plugins/chain-scanner/sale/saleSource.ts";
import { lockChain } from "#plugins/chain-scanner/sql/block.ts";
import { gapRow } from "#plugins/chain-scanner/sql/gap.ts";
import { seaportVenue } from "#plugins/chain-scanner/venues/seaport/seaportVenue.ts";

const config = z.object({
	NFT_SCAN_FROM_BLOCK: z
		.int()
		.min(0)
		.optional()
		.describe("Block at which a lane without a cursor starts. Unset: the head of the chain."),
	NFT_REORG_DEPTH_MAX: z
		.int()
		.min(REORG_DEPTH_LEAST)
		.max(REORG_DEPTH_MOST)
		.default(REORG_DEPTH_DEFAULT)
		.describe("Blocks that may leave a chain and are then taken back; more stops its lanes."),
	NFT_ONCHAIN_MAX_LAG_BLOCKS: z
		.int()
		.min(LAG_BLOCKS_LEAST)
		.max(LAG_BLOCKS_MOST)
		.default(LAG_BLOCKS_DEFAULT)
		.describe("Blocks below the newest one at which backfill gives up what it owes."),
	RPC_POLL_MS: z
		.int()
		.min(50)
		.max(60_000)
		.default(1_000)
		.describe("How often, in milliseconds, a chain's head is polled while no socket announces it."),
});

/** Scans chain heads for mints and sales, and passes them to the sinks of other plugins. */
export const chainScannerPlugin = definePlugin({
	name: "chain-scanner",
	version: "1",
	config,
	needs: {},
	offers: ScannerKey,
	tables: { schema: "chain_scanner", folder: join(import.meta.dir, "migrations") },
	opens: [VenuePoint],
	contributes: [contribute(VenuePoint, seaportVenue)],
	cli: [decodeCommand, backfillCommand, gapsCommand, rewindCommand],
	setup({ config, core, contributions }) {
		const sinks: EventSink[] = [];
		const venues = contributions(VenuePoint);
		const metrics = scannerMetrics(core.metrics);
		const health = createLaneHealth(core.clock);
		const stopping = new AbortController();
		let running: Promise<unknown> = Promise.resolve();
		const settings = {
			sinks,
			venues,
			metrics,
			reorgDepthMax: config.NFT_REORG_DEPTH_MAX,
			lagBlocksMax: config.NFT_ONCHAIN_MAX_LAG_BLOCKS,
		};
		const service: ScannerOperator = {
			...createOperator(core, settings),
			addSink: (sink) => void sinks.push(sink),
			progress: laneProgress(core.db, core.clock),
			lock: lockChain,
		};
		return {
			service,
			jobs: [
				quarantineJob({ ...core, owner: "chain_scanner", sources: [gapRow] }),
				sampleStrangersJob(core, venues),
			],
			start() {
				if (core.role === "api") return;
				const scanFrom = config.NFT_SCAN_FROM_BLOCK ?? null;
				const options = {
					scanFrom,
					pollMs: config.RPC_POLL_MS,
					signal: stopping.signal,
				};
				for (const { chain } of core.indexed) health.awaits(`${chain.slug} head`);
				running = Promise.all(
					core.indexed.map((access) => runChain(core, access, { ...settings, ...options, health })),
				);
			},
			async stop() {
				stopping.abort();
				await running;
			},
			health: async () => health.trouble(),
			degraded: unreadBlocks(core),
		};
	},
});
