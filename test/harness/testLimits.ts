/** Only a hanging test takes this long, even on a busy machine. */
const LIMIT_MS = 180_000;
/** At full length a property has ten times as many runs. */
const PROVE_TIMES = 10;
/** Time to report what was waited for, before the test's own limit. */
const TO_SAY_IT_MS = 10_000;

/** Returns the runner's limit for a test or a hook, in milliseconds. */
export function testLimitMs(isProving: boolean): number {
	return (isProving ? PROVE_TIMES : 1) * LIMIT_MS;
}

/**
 * The limit of this run. The runner sets it, so tests do not; a long test sets a multiple of it.
 */
export const TEST_LIMIT_MS = testLimitMs(process.env.PROVE === "1");

/** How long a test waits for other processes. */
export const WAIT_LIMIT_MS = TEST_LIMIT_MS - TO_SAY_IT_MS;
