// Decides when a sync pauses: limits of the provider, and collections that keep failing.

import { LRUCache } from "lru-cache";
import type { Address } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { sleep } from "#core/time.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Provider, ProviderEvent } from "#plugins/provider/contract.ts";

/** A collection with its chain and contract. */
export type SyncedCollection = { id: number; chainId: number; address: Address };

/** Stores a provider's events; events that are stored already change nothing. */
export type MergeEvents = (
	collection: SyncedCollection,
	events: readonly ProviderEvent[],
) => Promise<void>;

/** Holds what syncs need. */
export type SyncContext = {
	core: Pick<Core, "db" | "clock" | "log" | "queue" | "outbox" | "chains" | "indexed">;
	provider: Provider;
	prices: Prices;
	merge: MergeEvents;
	pause: SyncPause;
	loneFailures: LoneFailures;
	/**
	 * Returns until when the lanes of a chain have every sale and mint; null while they are behind.
	 */
	heldUntil(chainId: number): Promise<Date | null>;
	/** Waits out a limit in the middle of a list. */
	wait: typeof sleep;
};

/**
 * Counts failures of one collection while pages of others still arrive: then the collection is the
 * cause, and not an outage of the whole provider.
 */
type LoneFailures = {
	/** Records that a page of a collection arrived. */
	came(collectionId: number): void;
	/** Records that one did not; returns how many in a row did not while pages of others arrived. */
	failed(collectionId: number): number;
};

type SyncPause = {
	/**
	 * Returns for how long background work pauses its calls to the provider, in ms; 0: not at all.
	 */
	leftMs(): number;
	/** Records a limit; true where the error was one. */
	note(error: unknown): boolean;
};

/** The delay until a floor is read again after it was sold, cancelled or expired. */
export const FLOOR_AGAIN_MS = 60_000;
/** The pause after a limit that states none; and the longest that one may state. */
const PAUSE_MS = 30_000;
const PAUSE_MAX_MS = 600_000;
export const PROVIDER_PAGE = 200;
/** Collections whose failures in a row one process counts; beyond that the oldest is forgotten. */
const FAILING_KEPT_MAX = 10_000;

/**
 * Makes the counter. A process counts its own pages only: the resulting pause is in the database
 * and holds for all, so another process adds only its own attempts.
 */
export function createLoneFailures(): LoneFailures {
	const failing = new LRUCache<number, { times: number; cameBefore: number }>({
		max: FAILING_KEPT_MAX,
	});
	let pages = 0;
	return {
		came(collectionId) {
			pages++;
			failing.delete(collectionId);
		},
		failed(collectionId) {
			const last = failing.get(collectionId);
			const isAlone = last !== undefined && pages > last.cameBefore;
			const times = (last?.times ?? 0) + (isAlone ? 1 : 0);
			failing.set(collectionId, { times, cameBefore: pages });
			return times;
		},
	};
}

/**
 * Makes the pause: once the provider answers "too often", all background work of this process stops
 * at once.
 */
export function createPause(clock: Clock): SyncPause {
	let untilMs = 0;
	let lengthMs = 0;
	// Never longer than stated, so that a clock that was set back does not pause for hours.
	const leftMs = () => Math.min(Math.max(untilMs - clock.nowMs(), 0), lengthMs);
	return {
		leftMs,
		note(error) {
			if (!(error instanceof Fault) || error.code !== "rate_limited") return false;
			const told = error.members["retryAfterMs"];
			const waitMs = typeof told === "number" && told > 0 ? Math.min(told, PAUSE_MAX_MS) : PAUSE_MS;
			if (waitMs > leftMs()) {
				untilMs = clock.nowMs() + waitMs;
				lengthMs = waitMs;
			}
			return true;
		},
	};
}
