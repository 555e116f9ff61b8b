import fc from "fast-check";

/** Ten times the properties' usual hundred runs; asked for by `bun run prove`. */
const RUNS_WHEN_PROVING = 1_000;

// Loaded before each test file. A property that names its own number of runs keeps it.
if (process.env.PROVE === "1") fc.configureGlobal({ numRuns: RUNS_WHEN_PROVING });
