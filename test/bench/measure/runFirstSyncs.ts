import { syncBoundMs } from "#plugins/market-index/sync/bounds.ts";
import { CALLS_FOR_CLIENTS, CALLS_PER_MINUTE_MAX } from "#plugins/provider/limits.ts";
import type { Scope } from "#test/bench/measure/startServiceProcess.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";
import { openSyncRun } from "#test/sim/syncs/openSyncRun.ts";

export type FirstSyncs = {
	collections: number;
	/** Answered calls of first syncs, and the pages that they were of. */
	calls: number;
	distinctPages: number;
	/** Concurrent calls that updated collections whose first day was whole. */
	refreshes: number;
	busy: SyncTimes;
	quiet: SyncTimes;
	/** The nearest that a collection came to its bound. */
	boundShareMost: number;
};

/** When the last collection was synced, and by when each had to be. */
export type SyncTimes = { lastMs: number; boundMs: number };

const COLLECTIONS = 100;
const BUSY_EVERY = 10;
const BUSY = { salesPerDay: 3_000, listings: 900 };
const QUIET = { salesPerDay: 24, listings: 60 };
/** 15 full ones, and one to see that there is no more. */
const PAGES_OF_BUSY = 16;
const LIMIT_MS = 3_600_000;
const STEP_MS = 5_000;

/**
 * Syncs a hundred collections for the first time, on a clock of its own beside a provider that
 * grants 120 calls a minute; the chain's lanes are behind, so that all turns call. Throws where
 * stated coverage is not there.
 */
export async function runFirstSyncs({ scope }: { scope: Scope }): Promise<FirstSyncs> {
	const database = await createTestDatabase();
	const drop = scope.defer(database.drop);
	const collections: SyncedKind[] = Array.from({ length: COLLECTIONS }, (_, at) =>
		at % BUSY_EVERY === BUSY_EVERY / 2 ? BUSY : QUIET,
	);
	const run = await openSyncRun(database.db, { collections });
	run.market.settings.callsPerMinute = CALLS_PER_MINUTE_MAX;
	let states = await run.states();
	while (states.some((one) => !one.syncedAt)) {
		if (run.clock.nowMs() - run.startMs > LIMIT_MS) throw new Error("not all were synced");
		await run.run(() => false, STEP_MS);
		states = await run.states();
	}
	const all = run.market.calls.filter(({ status }) => status === 200);
	const answered = all.filter(({ isRefresh }) => !isRefresh);
	expectAll(run, states);
	run.stop();
	await run.run(() => false, STEP_MS);
	await drop();
	const timesOf = (kind: SyncedKind, pages: number): SyncTimes => ({
		lastMs: Math.max(
			...states
				.filter((_, at) => collections[at] === kind)
				.map(({ syncedAt }) => (syncedAt?.getTime() ?? 0) - run.startMs),
		),
		boundMs: syncBoundMs({
			collections: COLLECTIONS,
			pages,
			callsPerMinute: CALLS_PER_MINUTE_MAX - CALLS_FOR_CLIENTS,
		}),
	});
	const busy = timesOf(BUSY, PAGES_OF_BUSY);
	const quiet = timesOf(QUIET, 1);
	return {
		collections: COLLECTIONS,
		calls: answered.length,
		distinctPages: new Set(answered.map(({ page }) => page)).size,
		refreshes: all.length - answered.length,
		busy,
		quiet,
		boundShareMost: Math.max(busy.lastMs / busy.boundMs, quiet.lastMs / quiet.boundMs),
	};
}

type SyncedKind = typeof BUSY;
type Run = Awaited<ReturnType<typeof openSyncRun>>;

/** Throws where a sale is missing within a collection's stated coverage. */
function expectAll(run: Run, states: Awaited<ReturnType<Run["states"]>>): void {
	for (const [at, { id, slug, eventsFrom, eventsUntil }] of states.entries()) {
		const collection = run.collections[at];
		const [fromMs, untilMs] = [eventsFrom?.getTime(), eventsUntil?.getTime()];
		if (!collection || fromMs === undefined || untilMs === undefined) throw new Error(slug);
		// The provider tells whole seconds.
		const sold = run.market.salesOf(collection, fromMs + 1_000, untilMs - 1_000);
		const isHeld = sold.every((hash) => run.merged.get(id)?.has(hash));
		if (!isHeld || sold.length < collection.salesPerDay * 0.98)
			throw new Error(`${slug} lacks sales`);
	}
}
