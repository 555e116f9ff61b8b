import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { LeaseKeeper } from "#core/lease/createLeaseKeeper.ts";
import type { Log } from "#core/log/Log.ts";
import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import type { PushedLogs } from "#plugins/chain-scanner/early/createPushedLogs.ts";
import type { LaneTimes } from "#plugins/chain-scanner/limits.ts";
import type { HeaderMemory } from "#plugins/chain-scanner/range/createHeaderMemory.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/LaneSource.ts";
import type { ForkRepair } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import type { HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";

export type LaneOptions = {
	chainId: number;
	source: LaneSource;
	db: Database;
	sinks: readonly EventSink[];
	clock: Clock;
	log: Log;
	leases: LeaseKeeper;
	fork: ForkRepair;
	/** Notified while a block is being stored; see `HeadGate`. */
	gate?: HeadGate;
	/** The lane's pushed logs, where they may be stored before nodes are asked. */
	pushed?: PushedLogs | undefined;
	/** Called when early rows were removed, which sets other lanes' cursors back. */
	onTakenBack?(): void;
	/** A cache of block headers, shared by the chain's lanes, its backfill and its walks. */
	remembered?: HeaderMemory;
	/** How many blocks below the head may leave the chain. */
	reorgDepthMax: number;
	/** `NFT_SCAN_FROM_BLOCK`. */
	scanFrom: number | null;
	signal: AbortSignal;
	times: LaneTimes;
	onIndexed(progress: { block: number; head: number; rows: number }): void;
	onFailure(code: string): void;
};
