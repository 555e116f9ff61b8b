// Reads from the database how far a lane has come.

import type { Clock } from "#core/clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { LaneKind, LaneProgress } from "#plugins/chain-scanner/contract.ts";
import { PROGRESS_AGE_MAX_MS } from "#plugins/chain-scanner/limits.ts";
import { type Cursor, readCursor } from "#plugins/chain-scanner/sql/cursor.ts";

/**
 * Returns a reader of lane progress from the database, so that a process without lanes can answer
 * for them; a crowd of requests costs one read a second for each lane.
 */
export function laneProgress(db: Database, clock: Clock) {
	const kept = new Map<string, { readAtMs: number; progress: Promise<LaneProgress> }>();
	return (chainId: number, lane: LaneKind, tx?: Tx): Promise<LaneProgress> => {
		if (tx)
			return readCursor(tx, chainId, lane).then((cursor) => progressOf(chainId, lane, cursor));
		const key = `${chainId}:${lane}`;
		const known = kept.get(key);
		const nowMs = clock.nowMs();
		if (known && nowMs - known.readAtMs < PROGRESS_AGE_MAX_MS) return known.progress;
		const read = readCursor(db, chainId, lane);
		const progress = read.then((cursor) => progressOf(chainId, lane, cursor));
		kept.set(key, { readAtMs: nowMs, progress });
		progress.catch(() => kept.delete(key));
		return progress;
	};
}

/**
 * Returns the progress: level with the head it covers all until it was so; else until the time of
 * its block.
 */
function progressOf(chainId: number, lane: LaneKind, cursor: Cursor | null): LaneProgress {
	if (!cursor) {
		const unknown = { headBlock: null, indexedBlock: null, indexedAtMs: null, owes: false };
		return { chainId, lane, ...unknown, coveredFromMs: null, coveredUntilMs: null };
	}
	const { headBlock, blockNumber, indexedAtMs, owes, sinceMs, untilMs, levelAtMs } = cursor;
	const isLevel = blockNumber >= headBlock;
	const lookedAtMs = Math.max(indexedAtMs, levelAtMs ?? indexedAtMs);
	return {
		chainId,
		lane,
		headBlock,
		indexedBlock: blockNumber,
		indexedAtMs,
		owes,
		coveredFromMs: sinceMs,
		coveredUntilMs: isLevel && untilMs !== null ? Math.max(untilMs, lookedAtMs) : untilMs,
	};
}
