/** Any would do: a run of the tests has to be the same as the one before. */
const USUAL = 1;

/**
 * What every test of a run draws from that draws at all: the same in each run, so that what fails
 * fails again. `bun run prove` draws a fresh one and prints it; `TEST_SEED` names one.
 */
export const TEST_SEED = Number(process.env.TEST_SEED ?? USUAL);
