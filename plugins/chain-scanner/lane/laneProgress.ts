import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { LaneKind, LaneProgress } from "#plugins/chain-scanner/contract.ts";
import { PROGRESS_AGE_MAX_MS } from "#plugins/chain-scanner/limits.ts";
import { readCursor } from "#plugins/chain-scanner/sql/cursor.ts";

/**
 * Reads lane progress from the database, so that a process without lanes can answer for them; a
 * crowd of requests costs one read a second for each lane.
 */
export function laneProgress(db: Database, clock: Clock) {
	const kept = new Map<string, { readAtMs: number; progress: Promise<LaneProgress> }>();
	return (chainId: number, lane: LaneKind): Promise<LaneProgress> => {
		const key = `${chainId}:${lane}`;
		const known = kept.get(key);
		const nowMs = clock.nowMs();
		if (known && nowMs - known.readAtMs < PROGRESS_AGE_MAX_MS) return known.progress;
		const progress = readCursor(db, chainId, lane).then((cursor) => ({
			chainId,
			lane,
			headBlock: cursor?.headBlock ?? null,
			indexedBlock: cursor?.blockNumber ?? null,
			indexedAtMs: cursor?.indexedAtMs ?? null,
			owes: cursor?.owes ?? false,
		}));
		kept.set(key, { readAtMs: nowMs, progress });
		progress.catch(() => kept.delete(key));
		return progress;
	};
}
