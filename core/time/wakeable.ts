import { assert } from "#core/fault/assert.ts";

/**
 * A bell: `wait` sleeps until somebody rings or the signal aborts. A ring while nobody waits is
 * kept, so the next `wait` returns at once; many rings are one. One waiter at a time.
 */
export type Wakeable = {
	ring(): void;
	wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
};

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
