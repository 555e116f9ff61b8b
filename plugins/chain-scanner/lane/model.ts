// Declares the state, the options and the plans that the files of lanes share.

import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { Clock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { LeaseKeeper } from "#core/lease.ts";
import type { Log } from "#core/log.ts";
import type { EventSink, LaneKind } from "#plugins/chain-scanner/contract.ts";
import type { PushedLogs } from "#plugins/chain-scanner/early/createPushedLogs.ts";
import type { Early } from "#plugins/chain-scanner/early/storeEarly.ts";
import type { LaneTimes } from "#plugins/chain-scanner/limits.ts";
import type {
	BlockLoad,
	HeaderMemory,
	LaneSource,
	RangeReading,
	ReadOptions,
} from "#plugins/chain-scanner/range/model.ts";
import type { ForkRepair } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";
import type { GapReason } from "#plugins/chain-scanner/sql/gap.ts";
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
	/** The number of blocks below the head that a reorg may remove. */
	reorgDepthMax: number;
	/** `NFT_SCAN_FROM_BLOCK`. */
	scanFrom: number | null;
	signal: AbortSignal;
	times: LaneTimes;
	onIndexed(progress: { block: number; head: number; rows: number }): void;
	onFailure(code: string): void;
};

export type BackfillOptions = {
	chainId: number;
	sources: readonly LaneSource[];
	db: Database;
	sinks: readonly EventSink[];
	fork: ForkRepair;
	/** Headers that walks remember, as in `LaneOptions`. */
	remembered?: HeaderMemory;
	reorgDepthMax: number;
	log: Log;
	leases: LeaseKeeper;
	signal: AbortSignal;
	times?: Partial<LaneTimes>;
	/** `NFT_ONCHAIN_MAX_LAG_BLOCKS`: missing blocks further below are given up. Unset: none are. */
	lagBlocksMax?: number | undefined;
	/** Set beside a live head: backfill then works in small parts and lets the lanes go first. */
	gate?: HeadGate | undefined;
	/** The head as last seen, where no lane may have recorded one. */
	headLeast?: number | undefined;
	onDrained?(part: { lane: LaneKind; blocks: number; events: number }): void;
	onGivenUp?(part: { lane: LaneKind; blocks: number }): void;
	onFailure(code: string): void;
};

/** A requested range, with its pending answer. */
export type Asked = {
	range: BlockRange;
	reading: Promise<RangeReading>;
	/** The same block from pushed logs, if they arrive before the answer; else null. */
	early?: Promise<RangeReading | null>;
};

/**
 * Holds what a lane knows while it has its lease. Forgotten whenever that may no longer be true.
 */
export type Position = {
	/** The stored cursor; null before the first write. */
	cursor: number | null;
	/** The hash of the block at the cursor: the next reading must link to it. */
	cursorHash: Hex | null;
	/**
	 * The head by which the cursor's chain was last verified, or null: then the node must be asked
	 * whether what is stored is still of its chain before anything is added.
	 */
	sound: Hex | null;
	next: number;
	/** Written with the next range, so that a skipped span and the skip commit together. */
	gap: { range: BlockRange; reason: GapReason; detail?: string } | null;
	/** The range under way, or that failed last. */
	asked: BlockRange | null;
	/** The ranges after it, fetched while it is written. */
	ahead: Asked[];
	/** Early rows that are stored and not confirmed; the next write of the lane settles them. */
	early: Early | null;
	/**
	 * The number of times in a row that the block at `next`, read alone, was refused, or made no
	 * sense.
	 */
	refusals: number;
};

/** Holds what a lane keeps in memory between two runs. */
export type LaneState = {
	/** The newest head that was announced. It may go back: an earlier announcement was wrong. */
	head: Head | null;
	/** The lowest announced head: a first start begins there, however long its first write takes. */
	headLowest: number | null;
	/** The time when a head was last announced, even the same one; null before the first. */
	heardAtMs: number | null;
	/**
	 * The time until which it is stored that this block is the head: by writing it, then by
	 * `noteLevel`.
	 */
	level: { block: number; atMs: number } | null;
	window: LogWindow;
	/** The token of the lease as the lane last saw it; null while it has none. */
	heldToken: number | null;
	/** True until a write has succeeded since the lease was taken: the restart rule applies. */
	restarted: boolean;
	position: Position | null;
	/** The head that the next position is `sound` by: a repair that just ended has proven it. */
	soundAt: Hex | null;
	/** The block that was last stored early, or tried: once is enough. */
	earlyTried: Hex | null;
	/** True where another lane may have set the cursor back: the next turn checks. */
	isDoubted: boolean;
	/** Failures in a row, without refused ranges. */
	failures: number;
	/** True once this row of failures has its line in the log. */
	complained: boolean;
};

/** Holds the number of blocks that a lane requests at once, learned from the last answers. */
export type LogWindow = {
	readonly blocks: number;
	/** True once the density of this chain's blocks is known. */
	readonly isMeasured: boolean;
	/** Records an answered range, or a sample of a few blocks. */
	answered(load: BlockLoad): void;
	/** Records a refused range; if it was for its size, by how many times it was too large. */
	refused(asked: {
		blocks: number;
		timesTooLarge?: number | undefined;
		blocksMax?: number | undefined;
	}): void;
};

export type RangePlan = {
	range: BlockRange;
	read: Required<Pick<ReadOptions, "unsettledFrom" | "settledBy">>;
};
