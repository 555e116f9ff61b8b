import type { Database, Tx } from "#core/db/Database.ts";
import { type Lease, requireLease } from "#core/lease/leases.ts";
import type {
	ChainEvent,
	EventBatch,
	EventSink,
	LaneKind,
} from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import type { HeadGate } from "#plugins/chain-scanner/lane/createHeadGate.ts";
import type { BlockRange, MoveReading } from "#plugins/chain-scanner/lane/LaneSource.ts";
import { lockChain } from "#plugins/chain-scanner/lane/lockChain.ts";
import { REST_MS_MAX } from "#plugins/chain-scanner/limits.ts";
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
 * so that nothing is added to another fork than the one the index stands on. Only what sinks store
 * early comes before all that: while one lane holds the lock, the other's events are copied. Given a
 * gate, only what the lock is held for waits behind the chain's newest block.
 */
export async function writeRange(
	options: { db: Database; sinks: readonly EventSink[]; gate?: HeadGate | undefined },
	write: RangeWrite,
): Promise<RangeWritten> {
	const { db, sinks, gate } = options;
	const locked = (tx: Tx, rests: readonly (Rest | null)[]) => {
		const work = () => writeLocked(tx, sinks, write, { rests, undone });
		return gate ? gate.behind(REST_MS_MAX, work) : work();
	};
	const undone = new Error("what was stored early is rolled back");
	try {
		return await db.transaction(async (tx) => {
			const rests = write.live ? [] : await storeEarly(tx, sinks, write);
			return locked(tx, rests);
		});
	} catch (error) {
		if (error !== undone) throw error;
		return db.transaction((tx) => locked(tx, []));
	}
}

type Rest = (tx: Tx) => Promise<boolean>;

/** What each sink leaves to be done under the lock; null where that is everything. */
async function storeEarly(
	tx: Tx,
	sinks: readonly EventSink[],
	write: RangeWrite,
): Promise<(Rest | null)[]> {
	if (write.events.length === 0) return [];
	const rests: (Rest | null)[] = [];
	for (const sink of sinks) rests.push((await sink.storeEarly?.(tx, batchOf(write))) ?? null);
	return rests;
}

async function writeLocked(
	tx: Tx,
	sinks: readonly EventSink[],
	write: RangeWrite,
	{ rests, undone }: { rests: readonly (Rest | null)[]; undone: Error },
): Promise<RangeWritten> {
	const checks = check(tx, write);
	// Near the head, and behind what was stored early, the sinks' first statements travel with the
	// checks and not behind their answers.
	const isShort = rests.length > 0 && rests.every((rest) => rest !== null);
	if (!write.live && !isShort) await checks;
	checks.catch(() => {});
	try {
		await tellMoves(tx, sinks, write);
		if (write.events.length > 0) {
			for (const [index, sink] of sinks.entries()) {
				const rest = rests[index];
				if (!rest) await sink.apply(tx, batchOf(write));
				else if (!(await rest(tx))) throw undone;
			}
		}
	} catch (error) {
		// Rows that do not fit because they were not ours to write are not at fault.
		if (error !== undone) await checks;
		throw error;
	}
	return checks;
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

function batchOf({ chainId, lane, range, events, live }: RangeWrite): EventBatch {
	return { chainId, lane, fromBlock: range.from, toBlock: range.to, live, events };
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
