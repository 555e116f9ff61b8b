// Reads one window of a contract's history and stores it; finds where the history begins.

import { type Address, hexQuantity } from "#core/chain/Hex.ts";
import { type Rpc, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { Lease, LeaseKeeper } from "#core/lease.ts";
import type { Log } from "#core/log.ts";
import type { Ownership, Walk } from "#plugins/chain-scanner/contract.ts";
import type { LogWindow } from "#plugins/chain-scanner/lane/model.ts";
import { type BackfillPace, backfillPace, restBeside } from "#plugins/chain-scanner/lane/pace.ts";
import { planRange, splitRange } from "#plugins/chain-scanner/lane/planRange.ts";
import {
	CODE_PROBES,
	type LaneTimes,
	MOVES_PER_WRITE_MAX,
	REST_MS_MAX,
} from "#plugins/chain-scanner/limits.ts";
import type {
	HeaderMemory,
	MoveReading,
	RangeReading,
} from "#plugins/chain-scanner/range/model.ts";
import type { ForkRepair } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";
import { readHead } from "#plugins/chain-scanner/sql/cursor.ts";
import type { TransferSource } from "#plugins/chain-scanner/transfer/transferSource.ts";
import type { HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";
import { writeRange } from "#plugins/chain-scanner/write/writeRange.ts";

/** A chain's walks, between their turns. */
export type WalkState = {
	/** The number of blocks that a walk requests at once, by its pace: see `startBackfill`. */
	windows: Record<BackfillPace["kind"], LogWindow>;
	/** True where the node must be asked whether what is stored is its chain. */
	isUnsure: boolean;
	/** The last request of a walk: a refusal is about it. */
	asked: { walk: Walk; range: BlockRange } | null;
};

export type WalkOptions = {
	chainId: number;
	db: Database;
	rpc: Rpc;
	source: TransferSource;
	ownership: Ownership;
	fork: ForkRepair;
	/** Headers that walks remember, as in `LaneOptions`. */
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

const NOTHING: MoveReading = { watched: [], moves: [], unsettledFrom: 0 };

/**
 * Reads one window of a walk and stores it: in small parts, each with the walk's progress, so that
 * a kill at any moment neither loses a move nor counts one twice.
 */
export async function walkWindow(
	options: WalkOptions,
	state: WalkState,
	{ walk, lease }: { walk: Walk; lease: Lease },
): Promise<void> {
	const { chainId, db, rpc, source, signal, times, reorgDepthMax, remembered } = options;
	const { contract, endBlock } = walk;
	state.asked = null;
	const window = state.windows[backfillPace(options.gate).kind];
	const from = walk.nextBlock ?? (await findFirstBlock(rpc, { ...walk, window }, signal));
	const head = await readHead(db, chainId);
	const plan = planRange({ from, head, blocksMax: window.blocks, reorgDepthMax });
	const range = { from, to: Math.min(plan.range.to, endBlock) };
	state.asked = { walk, range };
	await options.gate?.idle(REST_MS_MAX);
	const ceiling = AbortSignal.timeout(times.ceilingMs);
	const reading = await source
		.readOf([contract], range, {
			...plan.read,
			remembered,
			signal: AbortSignal.any([signal, ceiling]),
		})
		.catch((error) => {
			if (!ceiling.aborted || signal.aborted) throw error;
			return null;
		});
	if (!reading) {
		options.onFailure("lane_ceiling");
		window.refused(window);
		return;
	}
	const { logCount, answerBytes } = reading;
	window.answered({ blocks: range.to - range.from + 1, logCount, answerBytes });
	state.isUnsure = await write(options, reading, { walk, lease });
}

/**
 * Returns the block that created a contract's code: nothing of it can have moved before. 0 where
 * the whole chain fits into one window, as a search would cost more calls than it saves; and where
 * that block cannot be found, which only means more blocks to read: nodes without history refuse
 * the request, and a contract that destroyed itself has no code now.
 *
 * The block is found exactly. A node may lack blocks below it, and a walk that begins at one of
 * those would never get past it.
 */
export async function findFirstBlock(
	rpc: Rpc,
	find: { contract: Address; endBlock: number; window: { readonly blocks: number } },
	signal: AbortSignal,
): Promise<number> {
	const { contract, endBlock, window } = find;
	if (endBlock < window.blocks) return 0;
	const [now] = await readCode(rpc, contract, [endBlock], signal);
	if (now !== true) return 0;
	let without = -1;
	let having = endBlock;
	while (having - without > 1) {
		const probes = probesBetween(without, having);
		const answers = await readCode(rpc, contract, probes, signal);
		for (const [index, block] of probes.entries()) {
			const hasCode = answers[index] ?? null;
			if (hasCode === null) return 0;
			if (!hasCode) without = block;
			if (hasCode) {
				having = block;
				break;
			}
		}
	}
	return having;
}

/** Writes a reading; true where unconfirmed blocks are stored. */
async function write(
	{ chainId, db, ownership, signal, gate }: WalkOptions,
	reading: RangeReading,
	{ walk, lease }: { walk: Walk; lease: Lease },
): Promise<boolean> {
	let isUnsure = false;
	const moved: MoveReading = reading.moved ?? NOTHING;
	const parts = splitRange(reading.range, moved.moves, MOVES_PER_WRITE_MAX);
	const pause = restBeside(gate, signal);
	for (const { range, rows } of parts) {
		const { from: fromBlock, to: toBlock } = range;
		const step = {
			chainId,
			walk,
			fromBlock,
			toBlock,
			moves: rows,
			unsettledFrom: moved.unsettledFrom,
		};
		const inRange = ({ number }: { number: number }) => number >= fromBlock && number <= toBlock;
		// Below the reach of reorgs nothing must be compared any more.
		const blocks = reading.blocks.filter((block) => inRange(block) && !block.settled);
		const commit = (tx: Tx) => ownership.walked(tx, step);
		await pause();
		const rest = { events: [], blocks, pruneBelow: 0, live: false, commit };
		const place = { chainId, lane: "transfer" as const, lease, range };
		isUnsure = (await writeRange({ db, sinks: [], gate }, { ...place, ...rest })).unvouched;
	}
	reading.report();
	return isUnsure;
}

/** Says whether the contract has code at each block; null where the node does not answer. */
async function readCode(
	rpc: Rpc,
	contract: Address,
	blocks: readonly number[],
	signal: AbortSignal,
): Promise<(boolean | null)[]> {
	const calls = blocks.map((block) => {
		return { method: "eth_getCode", params: [contract, hexQuantity(block)] };
	});
	const outcomes = await rpc.settle(calls, { signal });
	return outcomes.map(hasCodeIn);
}

function hasCodeIn(outcome: RpcOutcome): boolean | null {
	if (outcome.kind === "fault") return null;
	const { result } = outcome;
	if (typeof result !== "string" || !/^0x[0-9a-fA-F]*$/.test(result)) {
		throw rpcFault.transport({ detail: "eth_getCode answered no bytes" });
	}
	return result !== "0x";
}

/** Returns blocks spread evenly between two, both excluded; at least one. */
function probesBetween(low: number, high: number): number[] {
	const step = Math.max(1, Math.floor((high - low) / (CODE_PROBES + 1)));
	const probes: number[] = [];
	for (let at = low + step; at < high && probes.length < CODE_PROBES; at += step) probes.push(at);
	return probes;
}
