import type { StoredEvent } from "#plugins/market-index/event/StoredEvent.ts";

/** What of an event is stored: one that was read back is as good as a new one. */
export type StorableEvent = StoredEvent & { collectionId: number };
