import { runSuite } from "#test/run/runSuite.ts";

process.exit(await runSuite({ unitOnly: false, argv: process.argv.slice(2), report: "junit.xml" }));
