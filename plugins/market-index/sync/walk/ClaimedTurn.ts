import type { SyncedCollection } from "#plugins/market-index/pace/SyncContext.ts";
import type { Walk } from "#plugins/market-index/sync/walk/Walk.ts";
import type { ProviderEventType } from "#plugins/provider/contract.ts";

/** A turn: the exclusive right to read one page of a collection's walk. */
export type ClaimedTurn = SyncedCollection & {
	providerSlug: string;
	/** The number of the turn: the walk belongs to the holder of the highest. */
	turn: number;
	/** When the turn before was; a turn that is given back restores it. */
	leanAt: Date | null;
	/** The events between these times are stored; null before the first walk was done. */
	eventsFrom: Date | null;
	eventsUntil: Date | null;
	/** The newest event in the list when it was last read, and for which kinds that was. */
	newestAt: Date | null;
	newestTypes: readonly ProviderEventType[] | null;
	/** The walk under way; null where a new one begins. */
	walk: (Walk & { baseAt: Date | null; types: readonly ProviderEventType[] }) | null;
	/** Pages that earlier walks read without a result. */
	pages: number;
	/** Lists in a row that had gone back in time. */
	backwards: number;
	/** Turns in a row without a result. */
	failures: number;
	/** Since when the lanes of its chain are level with the head; null while they are not. */
	levelFrom: Date | null;
};
