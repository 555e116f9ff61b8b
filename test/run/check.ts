import { runSuiteScript } from "#test/run/runSuiteScript.ts";

const argv = process.argv.slice(2);
process.exit(await runSuiteScript({ unitOnly: true, argv, report: "check.xml" }));
