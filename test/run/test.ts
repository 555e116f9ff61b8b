import { runSuiteScript } from "#test/run/runSuiteScript.ts";

const argv = process.argv.slice(2);
process.exit(await runSuiteScript({ unitOnly: false, argv, report: "junit.xml" }));
