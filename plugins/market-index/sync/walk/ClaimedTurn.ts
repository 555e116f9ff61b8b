import type { SyncedCollection } from "#plugins/market-index/pace/SyncContext.ts";
import type { Walk } from "#plugins/market-index/sync/walk/Walk.ts";
import type { ProviderEventType } from "#plugins/provider/contract.ts";

/** A turn: the right to read one page of a collection's walk. Nobody else has it meanwhile. */
export type ClaimedTurn = SyncedCollection & {
	providerSlug: string;
	/** The number of the turn: the walk belongs to whoever has the highest. */
	turn: number;
	/** When the turn before was; a turn that is given back restores it. */
	leanAt: Date | null;
	/** The events between these times are held; null before the first walk was done. */
	eventsFrom: Date | null;
	eventsUntil: Date | null;
	/** The newest event that the list told when it was last asked, and for which kinds it was. */
	newestAt: Date | null;
	newestTypes: readonly ProviderEventType[] | null;
	/** The walk under way; null where a new one begins. */
	walk: (Walk & { baseAt: Date | null; types: readonly ProviderEventType[] }) | null;
	/** Pages that walks before it read in vain. */
	pages: number;
	/** Lists in a row that had gone back in time. */
	backwards: number;
	/** Turns in a row that brought nothing. */
	failures: number;
	/** Whether the lanes of its chain are level with the head, and since when. */
	levelFrom: Date | null;
};
