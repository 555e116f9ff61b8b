import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { LeaseKeeper } from "#core/lease/createLeaseKeeper.ts";
import type { Log } from "#core/log/Log.ts";
import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import type { HeadGate } from "#plugins/chain-scanner/lane/createHeadGate.ts";
import type { LaneSource } from "#plugins/chain-scanner/lane/LaneSource.ts";
import type { LaneTimes } from "#plugins/chain-scanner/limits.ts";
import type { ForkRepair } from "#plugins/chain-scanner/reorg/createForkRepair.ts";

export type LaneOptions = {
	chainId: number;
	source: LaneSource;
	db: Database;
	sinks: readonly EventSink[];
	clock: Clock;
	log: Log;
	leases: LeaseKeeper;
	fork: ForkRepair;
	/** Told while a block is taken in; see `HeadGate`. */
	gate?: HeadGate;
	/** How many blocks below the head may leave the chain. */
	reorgDepthMax: number;
	/** `NFT_SCAN_FROM_BLOCK`. */
	scanFrom: number | null;
	signal: AbortSignal;
	times: LaneTimes;
	onIndexed(progress: { block: number; head: number; rows: number }): void;
	onFailure(code: string): void;
};
