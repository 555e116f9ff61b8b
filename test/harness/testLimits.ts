/** Only what hangs takes so long, also on a machine that others keep busy. */
const LIMIT_MS = 180_000;
/** At full length a property has ten times the runs. */
const PROVE_TIMES = 10;
/** For saying what was waited for, before the test itself is over. */
const TO_SAY_IT_MS = 10_000;

/** Returns how long a test or a hook may take: the runner's limit. */
export function testLimitMs(isProving: boolean): number {
	return (isProving ? PROVE_TIMES : 1) * LIMIT_MS;
}

/**
 * The limit of this run. A test does not name it, for the runner does; one that does much names a
 * multiple of it.
 */
export const TEST_LIMIT_MS = testLimitMs(process.env.PROVE === "1");

/** How long a test waits for something that others do. */
export const WAIT_LIMIT_MS = TEST_LIMIT_MS - TO_SAY_IT_MS;
