/** Any number works: each run of the tests must equal the one before. */
const USUAL = 1;

/**
 * The seed of all random values in tests: the same in each run, so that a failure repeats. `bun run
 * prove` uses a new one and prints it; `TEST_SEED` sets one.
 */
export const TEST_SEED = Number(process.env.TEST_SEED ?? USUAL);
