import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { EventSink, Venue } from "#plugins/chain-scanner/contract.ts";
import type { LaneTimes } from "#plugins/chain-scanner/limits.ts";
import { mintSource } from "#plugins/chain-scanner/mint/mintSource.ts";
import { byDistance } from "#plugins/chain-scanner/range/byDistance.ts";
import { createHeaderMemory } from "#plugins/chain-scanner/range/createHeaderMemory.ts";
import { distrustingSource } from "#plugins/chain-scanner/range/distrustingSource.ts";
import { undecodedReport } from "#plugins/chain-scanner/range/undecodedReport.ts";
import { createForkRepair } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import { saleSource } from "#plugins/chain-scanner/sale/saleSource.ts";
import type { ScannerMetrics } from "#plugins/chain-scanner/scannerMetrics.ts";

/** The part of the runtime that a chain's lanes need. */
export type ChainCore = Pick<Core, "clock" | "db" | "leases" | "log" | "metrics">;

export type ChainSettings = {
	sinks: readonly EventSink[];
	venues: readonly Venue[];
	metrics: ScannerMetrics;
	/** `NFT_REORG_DEPTH_MAX`. */
	reorgDepthMax: number;
	/** `NFT_ONCHAIN_MAX_LAG_BLOCKS`; unset: everything owed is read. */
	lagBlocksMax?: number | undefined;
	/** Replaces the lanes' waits, for tests whose clock is not the wall's. */
	times?: Partial<LaneTimes> | undefined;
	signal: AbortSignal;
};

/** Makes the common parts of a chain's lanes and its backfill; nothing runs yet. */
export function openChain(core: ChainCore, access: ChainAccess, settings: ChainSettings) {
	const { clock, db, leases } = core;
	const { chain, rpcFor } = access;
	const { sinks, metrics, reorgDepthMax, lagBlocksMax, signal, times = {} } = settings;
	const log = core.log.with({ chain: chain.slug });
	const report = undecodedReport({ chain: chain.slug, metrics: core.metrics, log });
	const makers = [
		(rpc: Rpc) => saleSource(rpc, settings.venues, report),
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
		/** The same for blocks owed below the lanes. */
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
