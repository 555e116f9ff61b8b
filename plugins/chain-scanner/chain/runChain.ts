import { watchHeads } from "#core/chain/heads/watchHeads.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { EventSink, LaneKind, Venue } from "#plugins/chain-scanner/contract.ts";
import type { LaneHealth } from "#plugins/chain-scanner/createLaneHealth.ts";
import { startBackfill } from "#plugins/chain-scanner/lane/startBackfill.ts";
import { startLane } from "#plugins/chain-scanner/lane/startLane.ts";
import type { LaneTimes } from "#plugins/chain-scanner/limits.ts";
import { mintSource } from "#plugins/chain-scanner/mint/mintSource.ts";
import { undecodedReport } from "#plugins/chain-scanner/range/undecodedReport.ts";
import { createForkRepair } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import { saleSource } from "#plugins/chain-scanner/sale/saleSource.ts";
import type { ScannerMetrics } from "#plugins/chain-scanner/scannerMetrics.ts";
import { startTransfers } from "#plugins/chain-scanner/transfer/startTransfers.ts";

export type ChainRun = {
	sinks: readonly EventSink[];
	venues: readonly Venue[];
	metrics: ScannerMetrics;
	health: LaneHealth;
	/** `NFT_SCAN_FROM_BLOCK`. */
	scanFrom: number | null;
	pollMs: number;
	/** Replaces what lanes wait for, where the clock is not the wall's. */
	times?: Partial<LaneTimes>;
	/** `NFT_REORG_DEPTH_MAX`. */
	reorgDepthMax: number;
	signal: AbortSignal;
};

/** What of the runtime a chain's lanes stand on. */
export type ChainCore = Pick<Core, "clock" | "db" | "leases" | "log" | "metrics">;

/**
 * Everything that runs for one chain: its head watch, its lanes, its backfill, and where a sink
 * keeps owners its walks. Settles when the signal aborted and nothing is under way any more.
 */
export async function runChain(
	core: ChainCore,
	{ chain, rpc, headUrls }: ChainAccess,
	run: ChainRun,
): Promise<void> {
	const { clock, db, leases } = core;
	const { sinks, metrics, health, scanFrom, signal } = run;
	const log = core.log.with({ chain: chain.slug });
	const report = undecodedReport({ chain: chain.slug, metrics: core.metrics, log });
	const sources = [mintSource(rpc, report), saleSource(rpc, run.venues, report)];
	const times = run.times ?? {};
	const { reorgDepthMax } = run;
	const fork = createForkRepair({
		chainId: chain.id,
		db,
		rpc,
		sinks,
		depthMax: reorgDepthMax,
		log,
		onReorg: (depth) => metrics.reorg(chain.slug, depth),
	});
	const shared = {
		chainId: chain.id,
		db,
		sinks,
		clock,
		leases,
		fork,
		reorgDepthMax,
		signal,
		times,
	};
	const told = (lane: LaneKind) => {
		const labels = { chain: chain.slug, lane };
		return {
			log: log.with({ lane }),
			onIndexed(progress: Parameters<ScannerMetrics["indexed"]>[1]) {
				metrics.indexed(labels, progress);
				health.worked(`${chain.slug} ${lane}`);
			},
			onFailure(code: string) {
				metrics.failed(labels, code);
				health.failed(`${chain.slug} ${lane}`, code);
			},
		};
	};
	const lanes = sources.map((source) => {
		return startLane({ ...shared, ...told(source.kind), source, scanFrom });
	});
	const [ownership] = sinks.flatMap((sink) => sink.ownership ?? []);
	const transfers = ownership
		? startTransfers({
				...shared,
				...told("transfer"),
				rpc,
				ownership,
				report,
				onWalkFailure: (code) => metrics.failed({ chain: chain.slug, lane: "walk" }, code),
			})
		: null;
	const backfill = startBackfill({
		...shared,
		sources: transfers ? [...sources, transfers.source] : sources,
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
		onHead: (head) => {
			health.worked(`${chain.slug} head`);
			for (const lane of lanes) lane.offerHead(head);
			transfers?.offerHead(head);
		},
	});
	await Promise.all([...lanes.map((lane) => lane.done), transfers?.done, backfill]);
}
