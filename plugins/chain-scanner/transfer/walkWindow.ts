import type { Tx } from "#core/db/Database.ts";
import type { Lease } from "#core/lease/leases.ts";
import type { Walk } from "#plugins/chain-scanner/contract.ts";
import { type BackfillPace, backfillPace } from "#plugins/chain-scanner/lane/backfillPace.ts";
import type { LogWindow } from "#plugins/chain-scanner/lane/createLogWindow.ts";
import { planRange } from "#plugins/chain-scanner/lane/planRange.ts";
import { restBeside } from "#plugins/chain-scanner/lane/restBeside.ts";
import { splitRange } from "#plugins/chain-scanner/lane/splitRange.ts";
import { MOVES_PER_WRITE_MAX, REST_MS_MAX } from "#plugins/chain-scanner/limits.ts";
import type { MoveReading, RangeReading } from "#plugins/chain-scanner/range/LaneSource.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";
import { readHead } from "#plugins/chain-scanner/sql/cursor.ts";
import { findFirstBlock } from "#plugins/chain-scanner/transfer/findFirstBlock.ts";
import type { WalkOptions } from "#plugins/chain-scanner/transfer/WalkOptions.ts";
import { writeRange } from "#plugins/chain-scanner/write/writeRange.ts";

/** A chain's walks, between their turns. */
export type WalkState = {
	/** How many blocks a walk asks for at once, by its pace: see `startBackfill`. */
	windows: Record<BackfillPace["kind"], LogWindow>;
	/** True where the node must be asked whether what is stored is its chain. */
	isUnsure: boolean;
	/** What was requested last: a refusal is about it. */
	asked: { walk: Walk; range: BlockRange } | null;
};

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

const NOTHING: MoveReading = { watched: [], moves: [], unsettledFrom: 0 };
