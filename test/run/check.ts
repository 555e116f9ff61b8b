import { runSuite } from "#test/run/runSuite.ts";

process.exit(await runSuite({ unitOnly: true, argv: process.argv.slice(2), report: "check.xml" }));
