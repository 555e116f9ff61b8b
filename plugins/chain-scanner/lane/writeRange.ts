import type { Database, Tx } from "#core/db/Database.ts";
import { type Lease, requireLease } from "#core/lease/leases.ts";
import type { ChainEvent, EventSink, LaneKind } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import type { BlockRange, MoveReading } from "#plugins/chain-scanner/lane/LaneSource.ts";
import { lockChain } from "#plugins/chain-scanner/lane/lockChain.ts";
import { yieldingTx } from "#plugins/chain-scanner/lane/yieldingTx.ts";
import { type BlockRef, recordBlocks } from "#plugins/chain-scanner/sql/block.ts";

export type RangeWrite = {
	chainId: number;
	lane: LaneKind;
	lease: Lease;
	range: BlockRange;
	events: readonly ChainEvent[];
	/** What the transfer lane saw; `inOrder` where it stands at its cursor. */
	moved?: (MoveReading & { inOrder: boolean }) | null;
	/** The blocks of the range that the index will stand on. */
	blocks: readonly BlockRef[];
	/** Blocks below this one no longer leave the chain. */
	pruneBelow: number;
	/** A stored block from here on says that these have settled; see `recordBlocks`. */
	outdatedBy?: number | null | undefined;
	live: boolean;
	/** Records that the range is done, in the same transaction; false means it was not ours to do. */
	commit(tx: Tx): Promise<boolean>;
};

export type RangeWritten = {
	/** True where blocks are stored of which has to be asked whether they are of the chain at all. */
	unvouched: boolean;
};

/**
 * Writes one range: events, figures, frames and the mark that it is done, all or nothing.
 *
 * The chain's lock comes first, because mint, sale and backfill lanes touch the same rows; then
 * the fencing check, so that a process that slept through its lease cannot write; then the blocks,
 * so that nothing is added to another fork than the one the index stands on.
 */
export async function writeRange(
	options: {
		db: Database;
		sinks: readonly EventSink[];
		/** For what can wait: said yes to once, the write stops and throws `lane_gave_way`. */
		mustYield?: (() => boolean) | undefined;
	},
	write: RangeWrite,
): Promise<RangeWritten> {
	const { mustYield } = options;
	return options.db.transaction(async (given) => {
		const tx = mustYield ? yieldingTx(given, mustYield) : given;
		const checks = check(tx, write);
		if (!write.live) await checks;
		checks.catch(() => {});
		try {
			// Near the head the sinks' first questions travel with the checks, not behind their answers.
			await apply(tx, options.sinks, write);
		} catch (error) {
			// Rows that do not fit because they were not ours to write are not at fault.
			await checks;
			throw error;
		}
		return checks;
	});
}

/** In one round trip, in this order; whatever refuses takes everything else back with it. */
async function check(tx: Tx, write: RangeWrite): Promise<RangeWritten> {
	const { chainId, lane, range, blocks, pruneBelow, outdatedBy } = write;
	const [, , recorded, isOurs] = await Promise.all([
		lockChain(tx, chainId),
		requireLease(tx, write.lease),
		recordBlocks(tx, { chainId, blocks, pruneBelow, outdatedBy }),
		write.commit(tx),
	]);
	const detail = `blocks ${range.from} to ${range.to}`;
	if (recorded.outdated) {
		throw scannerFault.inconsistent({ detail: `${detail} come from a node that is far behind` });
	}
	if (!recorded.fits) throw scannerFault.forked({ detail });
	if (!isOurs) throw scannerFault.cursorMoved({ detail: `${lane} lane of chain ${chainId}` });
	return { unvouched: recorded.unvouched };
}

async function apply(tx: Tx, sinks: readonly EventSink[], write: RangeWrite): Promise<void> {
	const { chainId, lane, range, events, live } = write;
	await tellMoves(tx, sinks, write);
	if (events.length === 0) return;
	const batch = { chainId, lane, fromBlock: range.from, toBlock: range.to, live, events };
	for (const sink of sinks) await sink.apply(tx, batch);
}

/** To those that keep owners. Also without moves: a contract may be watched from here on. */
async function tellMoves(
	tx: Tx,
	sinks: readonly EventSink[],
	{ chainId, range, moved, pruneBelow }: RangeWrite,
): Promise<void> {
	if (!moved) return;
	const batch = { chainId, fromBlock: range.from, toBlock: range.to, pruneBelow, ...moved };
	for (const { ownership } of sinks) {
		if (!ownership || (await ownership.moved(tx, batch))) continue;
		const detail = `blocks ${range.from} to ${range.to} were read without a watched contract`;
		throw scannerFault.cursorMoved({ detail });
	}
}
