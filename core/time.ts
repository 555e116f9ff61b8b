// Waits, wakes and runs work one after the other.

import { assert } from "#core/fault.ts";

/** Runs a piece of work once all that came before it has ended; answers what it answers. */
export type Serial = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Wakes a waiting loop: `wait` sleeps until `ring` is called or the signal aborts. A ring while
 * nothing waits is kept, so the next `wait` returns at once; many rings are one. One waiter at a
 * time.
 */
export type Wakeable = {
	ring(): void;
	wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
};

/** Lengths of time in milliseconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Runs work one piece after the other, in the order in which it came. A failure does not stop the
 * next ones.
 */
export function createSerial(): Serial {
	let last: Promise<unknown> = Promise.resolve();
	return (work) => {
		const turn = last.then(work);
		last = turn.catch(() => {});
		return turn;
	};
}

/** Waits; returns early, without an error, when the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal?.aborted) return resolve();
		const timer = setTimeout(done, ms);
		signal?.addEventListener("abort", done, { once: true });
		function done() {
			clearTimeout(timer);
			signal?.removeEventListener("abort", done);
			resolve();
		}
	});
}

/** Makes a bell that has not been rung. */
export function wakeable(): Wakeable {
	let rung = false;
	let wake: (() => void) | null = null;
	return {
		ring() {
			rung = true;
			wake?.();
		},
		wait(timeoutMs, signal) {
			return new Promise((resolve) => {
				assert(wake === null, "a bell wakes one waiter");
				let timer: ReturnType<typeof setTimeout> | undefined;
				if (rung || signal.aborted) return done();
				timer = setTimeout(done, timeoutMs);
				signal.addEventListener("abort", done, { once: true });
				wake = done;
				function done() {
					clearTimeout(timer);
					signal.removeEventListener("abort", done);
					wake = null;
					rung = false;
					resolve();
				}
			});
		},
	};
}
