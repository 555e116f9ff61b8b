import { watchHeads } from "#core/chain/heads/watchHeads.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import {
	type ChainCore,
	type ChainSettings,
	openChain,
} from "#plugins/chain-scanner/chain/openChain.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import type { LaneHealth } from "#plugins/chain-scanner/createLaneHealth.ts";
import { createHeadGate } from "#plugins/chain-scanner/lane/createHeadGate.ts";
import { startBackfill } from "#plugins/chain-scanner/lane/startBackfill.ts";
import { startLane } from "#plugins/chain-scanner/lane/startLane.ts";
import type { ScannerMetrics } from "#plugins/chain-scanner/scannerMetrics.ts";
import { startTransfers } from "#plugins/chain-scanner/transfer/startTransfers.ts";

export type ChainRun = ChainSettings & {
	health: LaneHealth;
	/** `NFT_SCAN_FROM_BLOCK`. */
	scanFrom: number | null;
	pollMs: number;
};

/**
 * Everything that runs for one chain: its head watch, its lanes, its backfill, and where a sink
 * keeps owners its walks. Settles when the signal aborted and nothing is under way any more.
 */
export async function runChain(core: ChainCore, access: ChainAccess, run: ChainRun): Promise<void> {
	const { clock } = core;
	const { chain, rpc, headUrls } = access;
	const { sinks, metrics, health, scanFrom, signal } = run;
	const { log, report, sources, shared, backfill: limits } = openChain(core, access, run);
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
	const gate = createHeadGate();
	const lanes = sources.map((source) => {
		return startLane({ ...shared, ...told(source.kind), gate, source, scanFrom });
	});
	const [ownership] = sinks.flatMap((sink) => sink.ownership ?? []);
	const transfers = ownership
		? startTransfers({
				...shared,
				...told("transfer"),
				gate,
				rpc,
				ownership,
				report,
				onWalkFailure: (code) => metrics.failed({ chain: chain.slug, lane: "walk" }, code),
			})
		: null;
	const backfill = startBackfill({
		...shared,
		...limits,
		gate,
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
			gate.heard(head.number);
			for (const lane of lanes) lane.offerHead(head);
			transfers?.offerHead(head);
		},
	});
	await Promise.all([...lanes.map((lane) => lane.done), transfers?.done, backfill]);
}
