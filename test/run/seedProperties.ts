import fc from "fast-check";
import { TEST_SEED } from "#test/harness/testSeed.ts";

/** Ten times the properties' usual hundred runs; asked for by `bun run prove`. */
const RUNS_WHEN_PROVING = 1_000;

// Loaded before each test file, by `bunfig.toml`. A property that names its own number of runs
// keeps it.
const numRuns = process.env.PROVE === "1" ? { numRuns: RUNS_WHEN_PROVING } : {};
fc.configureGlobal({ seed: TEST_SEED, ...numRuns });
