// Writes a range in one transaction: lock, fence, blocks, sinks, cursor.

import type { Database, Tx } from "#core/db/Database.ts";
import { type Lease, requireLease } from "#core/lease.ts";
import type {
	ChainEvent,
	EventBatch,
	EventSink,
	LaneKind,
} from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { REST_MS_MAX } from "#plugins/chain-scanner/limits.ts";
import type { MoveReading } from "#plugins/chain-scanner/range/model.ts";
import {
	type BlockRange,
	type BlockRef,
	lockChain,
	recordBlocks,
} from "#plugins/chain-scanner/sql/block.ts";
import type { HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";

export type RangeWrite = {
	chainId: number;
	lane: LaneKind;
	lease: Lease;
	range: BlockRange;
	events: readonly ChainEvent[];
	/** Holds what the transfer lane read; `inOrder`: true where the range begins at its cursor. */
	moved?: (MoveReading & { inOrder: boolean }) | null;
	/** The blocks of the range that are kept for linking. */
	blocks: readonly BlockRef[];
	/** Blocks below this one cannot leave the chain any more. */
	pruneBelow: number;
	/** A stored block from here on means that these have settled; see `recordBlocks`. */
	outdatedBy?: number | null | undefined;
	live: boolean;
	/**
	 * Records that the range is done, in the same transaction; false means that it was not ours to
	 * do. Sends all its statements at once: later ones would come among those of the sinks.
	 */
	commit(tx: Tx): Promise<boolean>;
};

export type RangeWritten = {
	/** True where unconfirmed blocks are stored: whether they are of the chain must be asked. */
	unvouched: boolean;
};

type RangeWriting = {
	db: Database;
	sinks: readonly EventSink[];
	/** Set for less urgent work. */
	gate?: HeadGate | undefined;
};

/**
 * Writes one range: events, figures, frames and the mark that it is done, all or nothing.
 *
 * The chain's lock comes first, because mint, sale and backfill lanes touch the same rows; then the
 * fencing check, so that a process that slept through its lease cannot write; then the blocks, so
 * that nothing is added to another fork than the index's. Only early rows of sinks come before all
 * that: while one lane holds the lock, the other's events are copied.
 *
 * Given a gate, it waits after the chain's newest block, and gives way to one that comes meanwhile.
 */
export async function writeRange(
	{ db, sinks, gate }: RangeWriting,
	write: RangeWrite,
): Promise<RangeWritten> {
	if (!write.live && write.events.length > 0) {
		const written = await writeEarly({ db, sinks, gate }, write);
		if (written) return written;
	}
	const run = (mustYield?: () => boolean) =>
		db.transaction((given) => {
			const tx = mustYield ? yieldingTx(given, mustYield) : given;
			return writeLocked(tx, write, { waits: !write.live }, () => apply(tx, sinks, write));
		});
	return gate ? gate.behind(REST_MS_MAX, run) : run();
}

/**
 * Makes a transaction that gives way: its next statement fails once `mustYield` says so, and
 * everything it did is rolled back. Its last steps always run, since then only the commit is left.
 */
export function yieldingTx(tx: Tx, mustYield: () => boolean): Tx {
	let isEnding = false;
	const goOn = () => {
		if (!isEnding && mustYield()) throw scannerFault.gaveWay();
	};
	return {
		...tx,
		async query<Row>(...statement: Parameters<Tx["query"]>) {
			goOn();
			return tx.query<Row>(...statement);
		},
		async execute(...statement) {
			goOn();
			return tx.execute(...statement);
		},
		async copy(...rows) {
			goOn();
			return tx.copy(...rows);
		},
		beforeCommit(run, options) {
			const last = () => {
				isEnding = true;
				return run();
			};
			tx.beforeCommit(last, options);
		},
	};
}

/**
 * Writes with a sink's early rows; null where a sink has none, or found under the lock that it must
 * not have: then nothing of it is left. The work under the lock is short, so it gives way to no
 * block.
 */
async function writeEarly(
	{ db, sinks, gate }: RangeWriting,
	write: RangeWrite,
): Promise<RangeWritten | null> {
	if (sinks.some(({ storeEarly }) => storeEarly === undefined)) return null;
	const undone = new Error("what was stored early is rolled back");
	try {
		await gate?.idle(REST_MS_MAX);
		return await db.transaction(async (tx) => {
			const rests: ((tx: Tx) => Promise<boolean>)[] = [];
			for (const sink of sinks) {
				const rest = await sink.storeEarly?.(tx, batchOf(write));
				if (!rest) throw undone;
				rests.push(rest);
			}
			const locked = () =>
				writeLocked(tx, write, { waits: false, undone }, async () => {
					await tellMoves(tx, sinks, write);
					for (const rest of rests) if (!(await rest(tx))) throw undone;
				});
			return gate ? gate.behind(REST_MS_MAX, locked) : locked();
		});
	} catch (error) {
		if (error === undone) return null;
		throw error;
	}
}

function batchOf({ chainId, lane, range, events, live }: RangeWrite): EventBatch {
	return { chainId, lane, fromBlock: range.from, toBlock: range.to, live, events };
}

/**
 * Runs work under the lock. Unless the work `waits` for the checks, its first statements are sent
 * with them and not after their answers: near the head, and after early rows.
 */
async function writeLocked(
	tx: Tx,
	write: RangeWrite,
	{ waits, undone }: { waits: boolean; undone?: Error },
	work: () => Promise<void>,
): Promise<RangeWritten> {
	const checks = check(tx, write);
	if (waits) await checks;
	checks.catch(() => {});
	try {
		await work();
	} catch (error) {
		// Rows that do not fit because they were not ours to write are not the cause.
		if (error !== undone) await checks;
		throw error;
	}
	return checks;
}

/**
 * Runs all checks in one round trip, in this order; if one fails everything else is rolled back
 * with it.
 */
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

/**
 * Passes moves to the sinks that keep owners. Also without moves: a contract may be watched from
 * here on.
 */
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

async function apply(tx: Tx, sinks: readonly EventSink[], write: RangeWrite): Promise<void> {
	await tellMoves(tx, sinks, write);
	if (write.events.length === 0) return;
	for (const sink of sinks) await sink.apply(tx, batchOf(write));
}
