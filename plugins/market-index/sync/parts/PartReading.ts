import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import type { SyncParts } from "#plugins/market-index/sync/parts/SyncParts.ts";
import type { SyncRow } from "#plugins/market-index/sync/sql/lockSync.ts";

/** A full sync under way. `row.startedAt` shows whether this worker still has it. */
export type PartReading = {
	context: SyncContext;
	row: SyncRow & { startedAt: Date };
	signal: AbortSignal;
	/** The parts that arrived so far; all of them are stored. */
	parts: SyncParts;
};
