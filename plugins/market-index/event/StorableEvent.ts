import type { StoredEvent } from "#plugins/market-index/event/StoredEvent.ts";

/** The stored part of an event: one that was read back serves as well as a new one. */
export type StorableEvent = StoredEvent & { collectionId: number };
