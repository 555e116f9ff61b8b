import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { LeaseKeeper } from "#core/lease/createLeaseKeeper.ts";
import type { Log } from "#core/log/Log.ts";
import type { Ownership } from "#plugins/chain-scanner/contract.ts";
import type { LaneTimes } from "#plugins/chain-scanner/limits.ts";
import type { HeaderMemory } from "#plugins/chain-scanner/range/createHeaderMemory.ts";
import type { ForkRepair } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import type { TransferSource } from "#plugins/chain-scanner/transfer/transferSource.ts";
import type { HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";

export type WalkOptions = {
	chainId: number;
	db: Database;
	rpc: Rpc;
	source: TransferSource;
	ownership: Ownership;
	fork: ForkRepair;
	/** As in `LaneOptions`. */
	remembered?: HeaderMemory;
	gate?: HeadGate | undefined;
	reorgDepthMax: number;
	clock: Clock;
	log: Log;
	leases: LeaseKeeper;
	signal: AbortSignal;
	times: LaneTimes;
	/** Called when contracts are newly watched: the transfer lane then has work. */
	onWatched(): void;
	onFailure(code: string): void;
};
