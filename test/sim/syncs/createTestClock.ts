import type { Clock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { sleep } from "#core/time.ts";

export type TestClock = {
	clock: Clock;
	/** Waits until the clock is so much further. */
	wait: typeof sleep;
	/**
	 * The same database; while it works the clock stands still. Whoever asks it from within a
	 * transaction, but not in it, waits for ever.
	 */
	watched(db: Database): Database;
	/** Lets time pass, from one waiter to the next, until it holds or so much time is over. */
	run(holds: () => boolean, limitMs: number): Promise<void>;
};

type Waiter = { atMs: number; wake: () => void };

/** Turns of the event loop in which nothing happened: then everybody waits for the clock. */
const QUIET_TURNS = 4;

/**
 * A clock for hours of work against a real database: it stands still while anything is being done,
 * and then goes on to when the next one wakes up. The database does one thing at a time, in the
 * order in which it was asked: whichever of two statements is quicker decides nothing, and a run is
 * the same each time.
 */
export function createTestClock(startMs: number): TestClock {
	let nowMs = startMs;
	let working = 0;
	let worked = 0;
	let waiters: Waiter[] = [];
	let before: Promise<unknown> = Promise.resolve();

	/** Does one piece of work after the other, in the order in which they were begun. */
	async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
		working++;
		const turn = before.then(work, work);
		before = turn;
		try {
			return await turn;
		} finally {
			working--;
			worked++;
		}
	}

	async function settled(): Promise<void> {
		for (let quiet = 0; quiet < QUIET_TURNS; ) {
			const before = worked;
			await new Promise((resolve) => setImmediate(resolve));
			quiet = working > 0 || worked !== before ? 0 : quiet + 1;
		}
	}

	return {
		clock: { nowMs: () => nowMs },
		wait: (ms, signal) =>
			new Promise((resolve) => {
				if (signal?.aborted) return resolve();
				const waiter = { atMs: nowMs + ms, wake };
				waiters.push(waiter);
				signal?.addEventListener("abort", wake, { once: true });
				function wake() {
					waiters = waiters.filter((one) => one !== waiter);
					signal?.removeEventListener("abort", wake);
					worked++;
					resolve();
				}
			}),
		watched: (db) => ({
			...db,
			query: (...given) => inTurn(() => db.query(...given)),
			execute: (...given) => inTurn(() => db.execute(...given)),
			transaction: (...given) => inTurn(() => db.transaction(...given)),
		}),
		async run(holds, limitMs) {
			const endsAtMs = nowMs + limitMs;
			for (;;) {
				await settled();
				if (holds() || nowMs >= endsAtMs) return;
				const next = waiters.reduce<Waiter | null>(
					(first, one) => (!first || one.atMs < first.atMs ? one : first),
					null,
				);
				if (!next || next.atMs > endsAtMs) {
					nowMs = endsAtMs;
					return;
				}
				nowMs = Math.max(nowMs, next.atMs);
				next.wake();
			}
		},
	};
}
