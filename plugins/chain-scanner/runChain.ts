// Starts everything of one chain: head watch, lanes, backfill, and walks of owners.

import type { LogListener } from "#core/chain/heads/Head.ts";
import { watchHeads } from "#core/chain/heads/watchHeads.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { EventSink, LaneKind, PricedSale, Venue } from "#plugins/chain-scanner/contract.ts";
import {
	createPushedLogs,
	type PushedLogs,
} from "#plugins/chain-scanner/early/createPushedLogs.ts";
import { startBackfill } from "#plugins/chain-scanner/lane/startBackfill.ts";
import { type Lane, startLane } from "#plugins/chain-scanner/lane/startLane.ts";
import {
	type LaneHealth,
	type ScannerMetrics,
	undecodedReport,
} from "#plugins/chain-scanner/laneHealth.ts";
import type { LaneTimes } from "#plugins/chain-scanner/limits.ts";
import { mintSource } from "#plugins/chain-scanner/mint/mintSource.ts";
import type { LaneSteps } from "#plugins/chain-scanner/range/model.ts";
import { createHeaderMemory } from "#plugins/chain-scanner/range/readHeaders.ts";
import { byDistance, distrustingSource } from "#plugins/chain-scanner/range/sources.ts";
import { createForkRepair } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import { saleSource } from "#plugins/chain-scanner/sale/saleSource.ts";
import { startTransfers } from "#plugins/chain-scanner/transfer/startTransfers.ts";
import { createHeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";

/** The part of the runtime that a chain's lanes need. */
export type ChainCore = Pick<Core, "clock" | "db" | "leases" | "log" | "metrics">;

export type ChainSettings = {
	sinks: readonly EventSink[];
	venues: readonly Venue[];
	metrics: ScannerMetrics;
	/** `NFT_REORG_DEPTH_MAX`. */
	reorgDepthMax: number;
	/** `NFT_ONCHAIN_MAX_LAG_BLOCKS`; unset: all missing blocks are read. */
	lagBlocksMax?: number | undefined;
	/** Replaces the lanes' waits, for tests whose clock is not the wall's. */
	times?: Partial<LaneTimes> | undefined;
	signal: AbortSignal;
};

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
	const reporting = (lane: LaneKind) => {
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
		const options = { ...shared, ...reporting(kind), gate, source, scanFrom };
		return startLane({ ...options, pushed, onTakenBack });
	});
	const [ownership] = sinks.flatMap((sink) => sink.ownership ?? []);
	const transfers = ownership
		? startTransfers({
				...shared,
				...reporting("transfer"),
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

/** Makes the common parts of a chain's lanes and its backfill; nothing runs yet. */
export function openChain(core: ChainCore, access: ChainAccess, settings: ChainSettings) {
	const { clock, db, leases } = core;
	const { chain, rpcFor } = access;
	const { sinks, metrics, reorgDepthMax, lagBlocksMax, signal, times = {} } = settings;
	const log = core.log.with({ chain: chain.slug });
	const report = undecodedReport({ chain: chain.slug, metrics: core.metrics, log });
	const judges = sinks.flatMap((sink) => (sink.areDear ? [sink.areDear] : []));
	const areDear = async (sales: readonly PricedSale[]) => {
		const said = await Promise.all(judges.map((judge) => judge(chain.id, sales)));
		return sales.map((_, index) => said.some((one) => one[index]));
	};
	const makers = [
		(rpc: Rpc) => saleSource(rpc, settings.venues, report, areDear),
		(rpc: Rpc) => mintSource(rpc, report),
	];
	const owing = rpcFor("backfill");
	const fork = createForkRepair({
		chainId: chain.id,
		db,
		rpc: rpcFor("live"),
		sinks,
		depthMax: reorgDepthMax,
		log,
		onReorg: (depth) => metrics.reorg(chain.slug, depth),
	});
	return {
		log,
		report,
		sources: makers.map((make) => distrustingSource(byDistance(access, make), owing)),
		/** Reads the same events for the backfill, of blocks that the lanes left out. */
		owed: makers.map((make) => distrustingSource(make(owing), owing)),
		shared: {
			chainId: chain.id,
			db,
			sinks,
			clock,
			leases,
			fork,
			remembered: createHeaderMemory(),
			reorgDepthMax,
			signal,
			times,
		},
		backfill: {
			lagBlocksMax,
			onGivenUp({ lane, blocks }: { lane: string; blocks: number }) {
				metrics.gaveUp({ chain: chain.slug, lane }, blocks);
			},
		},
	};
}

/**
 * Returns whether logs may be taken from a socket: an operator who demands the agreement of several
 * nodes does not trust a single socket.
 */
function canPush({ headUrls, quorum = 1 }: ChainAccess): boolean {
	return headUrls.length > 0 && quorum < 2;
}
