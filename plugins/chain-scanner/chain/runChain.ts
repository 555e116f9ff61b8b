import type { LogListener } from "#core/chain/heads/LogListener.ts";
import { watchHeads } from "#core/chain/heads/watchHeads.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import {
	type ChainCore,
	type ChainSettings,
	openChain,
} from "#plugins/chain-scanner/chain/openChain.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import type { LaneHealth } from "#plugins/chain-scanner/createLaneHealth.ts";
import {
	createPushedLogs,
	type PushedLogs,
} from "#plugins/chain-scanner/early/createPushedLogs.ts";
import { startBackfill } from "#plugins/chain-scanner/lane/startBackfill.ts";
import { type Lane, startLane } from "#plugins/chain-scanner/lane/startLane.ts";
import type { LaneSteps } from "#plugins/chain-scanner/range/LaneSource.ts";
import type { ScannerMetrics } from "#plugins/chain-scanner/scannerMetrics.ts";
import { startTransfers } from "#plugins/chain-scanner/transfer/startTransfers.ts";
import { createHeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";

export type ChainRun = ChainSettings & {
	health: LaneHealth;
	/** `NFT_SCAN_FROM_BLOCK`. */
	scanFrom: number | null;
	pollMs: number;
};

/**
 * Runs everything of one chain: its head watch, its lanes, its backfill, and if a sink keeps owners
 * its walks. Resolves when the signal aborted and nothing is under way any more.
 */
export async function runChain(core: ChainCore, access: ChainAccess, run: ChainRun): Promise<void> {
	const { clock } = core;
	const { chain, headUrls, onSocketCall } = access;
	const { sinks, metrics, health, scanFrom, signal } = run;
	const { log, report, sources, owed, shared, backfill: limits } = openChain(core, access, run);
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
	const listeners: LogListener[] = [];
	const lanes = sources.map((source): Lane => {
		const { kind, steps } = source;
		const pushed = canPush(access) && steps ? listen(steps, kind) : undefined;
		const onTakenBack = () => {
			for (const lane of lanes) lane.doubt();
		};
		const options = { ...shared, ...told(kind), gate, source, scanFrom };
		return startLane({ ...options, pushed, onTakenBack });
	});
	const [ownership] = sinks.flatMap((sink) => sink.ownership ?? []);
	const transfers = ownership
		? startTransfers({
				...shared,
				...told("transfer"),
				gate,
				access,
				ownership,
				report,
				onWalkFailure: (code) => metrics.failed({ chain: chain.slug, lane: "walk" }, code),
			})
		: null;
	const backfill = startBackfill({
		...shared,
		...limits,
		gate,
		sources: transfers ? [...owed, transfers.owed] : owed,
		log,
		onFailure: (code) => metrics.failed({ chain: chain.slug, lane: "backfill" }, code),
	});
	watchHeads({
		chain,
		rpc: access.rpcFor("heads"),
		headUrls,
		listeners,
		onSocketCall,
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

	function listen(steps: LaneSteps, lane: LaneKind): PushedLogs {
		const labels = { chain: chain.slug, lane };
		const pushed = createPushedLogs(steps.filters, (fate) => metrics.pushed(labels, fate));
		listeners.push(pushed.listener);
		return pushed;
	}
}

/**
 * Says whether logs may be taken from a socket: an operator who demands the agreement of several
 * nodes does not want a single socket's word.
 */
function canPush({ headUrls, quorum = 1 }: ChainAccess): boolean {
	return headUrls.length > 0 && quorum < 2;
}
