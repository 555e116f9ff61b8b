// Waits for an effect, and measures processor time.

import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";

/** Short at first, later a tenth of the time waited so far: asking takes processor time. */
const ASK_EVERY_MS_MIN = 5;
const ASK_EVERY_MS_MAX = 50;

/** Waits for an effect of another process; fails if it does not happen. */
export async function until(
	holds: () => boolean | Promise<boolean>,
	what: string | (() => string),
): Promise<void> {
	const beganAt = performance.now();
	for (let waitedMs = 0; waitedMs < WAIT_LIMIT_MS; waitedMs = performance.now() - beganAt) {
		if (await holds()) return;
		await Bun.sleep(Math.min(Math.max(waitedMs / 10, ASK_EVERY_MS_MIN), ASK_EVERY_MS_MAX));
	}
	throw new Error(`did not happen: ${typeof what === "string" ? what : what()}`);
}

/**
 * Starts to measure the processor time of this process; returns a function that gives the
 * milliseconds since.
 *
 * For tests that no input makes a function slow: other programs on the machine lengthen the wall
 * time of such a test, but not its processor time.
 *
 * @example
 * const cpuMs = cpuTimer();
 * decode(hostile);
 * expect(cpuMs()).toBeLessThan(1_000);
 */
export function cpuTimer(): () => number {
	const began = process.cpuUsage();
	return () => {
		const { user, system } = process.cpuUsage(began);
		return (user + system) / 1_000;
	};
}
