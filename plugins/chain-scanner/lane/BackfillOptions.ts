import type { Database } from "#core/db/Database.ts";
import type { LeaseKeeper } from "#core/lease/createLeaseKeeper.ts";
import type { Log } from "#core/log/Log.ts";
import type { EventSink, LaneKind } from "#plugins/chain-scanner/contract.ts";
import type { LaneTimes } from "#plugins/chain-scanner/limits.ts";
import type { HeaderMemory } from "#plugins/chain-scanner/range/createHeaderMemory.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/LaneSource.ts";
import type { ForkRepair } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import type { HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";

export type BackfillOptions = {
	chainId: number;
	sources: readonly LaneSource[];
	db: Database;
	sinks: readonly EventSink[];
	fork: ForkRepair;
	/** As in `LaneOptions`. */
	remembered?: HeaderMemory;
	reorgDepthMax: number;
	log: Log;
	leases: LeaseKeeper;
	signal: AbortSignal;
	times?: Partial<LaneTimes>;
	/** `NFT_ONCHAIN_MAX_LAG_BLOCKS`: owed blocks further below are given up. Unset: none are. */
	lagBlocksMax?: number | undefined;
	/** Set beside a live head: backfill then works in small parts and lets the lanes go first. */
	gate?: HeadGate | undefined;
	/** The head as last seen, where no lane may have recorded one. */
	headLeast?: number | undefined;
	onDrained?(part: { lane: LaneKind; blocks: number; events: number }): void;
	onGivenUp?(part: { lane: LaneKind; blocks: number }): void;
	onFailure(code: string): void;
};
