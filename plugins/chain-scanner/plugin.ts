import { join } from "node:path";
import { z } from "zod";
import { watchHeads } from "#core/chain/heads/watchHeads.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { definePlugin } from "#core/plugin/definePlugin.ts";
import { contribute } from "#core/plugin/extensionPoint.ts";
import {
	type EventSink,
	ScannerKey,
	type Venue,
	VenuePoint,
} from "#plugins/chain-scanner/contract.ts";
import { createLaneHealth, type LaneHealth } from "#plugins/chain-scanner/createLaneHealth.ts";
import { decodeCommand } from "#plugins/chain-scanner/decode/decodeCommand.ts";
import { laneProgress } from "#plugins/chain-scanner/lane/laneProgress.ts";
import { startBackfill } from "#plugins/chain-scanner/lane/startBackfill.ts";
import { startLane } from "#plugins/chain-scanner/lane/startLane.ts";
import { mintSource } from "#plugins/chain-scanner/mint/mintSource.ts";
import { undecodedReport } from "#plugins/chain-scanner/range/undecodedReport.ts";
import { saleSource } from "#plugins/chain-scanner/sale/saleSource.ts";
import { type ScannerMetrics, scannerMetrics } from "#plugins/chain-scanner/scannerMetrics.ts";
import { seaportVenue } from "#plugins/chain-scanner/venues/seaport/seaportVenue.ts";

const config = z.object({
	NFT_SCAN_FROM_BLOCK: z
		.int()
		.min(0)
		.optional()
		.describe("Block at which a lane without a cursor starts. Unset: the head of the chain."),
	RPC_POLL_MS: z
		.int()
		.min(50)
		.max(60_000)
		.default(1_000)
		.describe("How often, in milliseconds, a chain's head is polled while no socket announces it."),
});

/** Scans chain heads for mints and sales, and hands them to the sinks of other plugins. */
export const chainScannerPlugin = definePlugin({
	name: "chain-scanner",
	version: "1",
	config,
	needs: {},
	offers: ScannerKey,
	tables: { schema: "chain_scanner", folder: join(import.meta.dir, "migrations") },
	opens: [VenuePoint],
	contributes: [contribute(VenuePoint, seaportVenue)],
	cli: [decodeCommand],
	setup({ config, core, contributions }) {
		const sinks: EventSink[] = [];
		const venues = contributions(VenuePoint);
		const metrics = scannerMetrics(core.metrics);
		const health = createLaneHealth(core.clock);
		const stopping = new AbortController();
		let running: Promise<unknown> = Promise.resolve();
		return {
			service: {
				addSink: (sink) => {
					sinks.push(sink);
				},
				progress: laneProgress(core.db, core.clock),
			},
			start() {
				if (core.role === "api") return;
				const scanFrom = config.NFT_SCAN_FROM_BLOCK ?? null;
				const options = { scanFrom, pollMs: config.RPC_POLL_MS, signal: stopping.signal };
				for (const { chain } of core.indexed) health.awaits(`${chain.slug} head`);
				running = Promise.all(
					core.indexed.map((access) =>
						runChain(core, access, { ...options, sinks, venues, metrics, health }),
					),
				);
			},
			async stop() {
				stopping.abort();
				await running;
			},
			health: async () => health.trouble(),
		};
	},
});

type ChainRun = {
	sinks: readonly EventSink[];
	venues: readonly Venue[];
	metrics: ScannerMetrics;
	health: LaneHealth;
	scanFrom: number | null;
	pollMs: number;
	signal: AbortSignal;
};

/** Everything that runs for one chain: its head watch, its two lanes, its backfill. */
async function runChain(core: Core, { chain, rpc, headUrls }: ChainAccess, run: ChainRun) {
	const { clock, db, leases } = core;
	const { sinks, metrics, health, scanFrom, signal } = run;
	const log = core.log.with({ chain: chain.slug });
	const report = undecodedReport({ chain: chain.slug, metrics: core.metrics, log });
	const sources = [mintSource(rpc, report), saleSource(rpc, run.venues, report)];
	const shared = { chainId: chain.id, db, sinks, clock, leases, signal };
	const lanes = sources.map((source) => {
		const labels = { chain: chain.slug, lane: source.kind };
		return startLane({
			...shared,
			source,
			scanFrom,
			log: log.with({ lane: source.kind }),
			onIndexed(progress) {
				metrics.indexed(labels, progress);
				health.worked(`${chain.slug} ${source.kind}`);
			},
			onFailure(code) {
				metrics.failed(labels, code);
				health.failed(`${chain.slug} ${source.kind}`, code);
			},
		});
	});
	const backfill = startBackfill({
		...shared,
		sources,
		log,
		onFailure: (code) => metrics.failed({ chain: chain.slug, lane: "backfill" }, code),
	});
	watchHeads({
		chain,
		rpc,
		headUrls,
		pollMs: run.pollMs,
		clock,
		log,
		signal,
		onFailure(code) {
			metrics.failed({ chain: chain.slug, lane: "head" }, code);
			health.failed(`${chain.slug} head`, code);
		},
		onHead: ({ number }) => {
			health.worked(`${chain.slug} head`);
			for (const lane of lanes) lane.offerHead(number);
		},
	});
	await Promise.all([...lanes.map((lane) => lane.done), backfill]);
}
