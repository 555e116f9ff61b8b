import { runGit, runSuiteScript } from "#test/run/runSuiteScript.ts";
import { changedFiles } from "#test/run/testsOfChanged.ts";

const argv = process.argv.slice(2);
const changed = argv.includes("--changed") ? await changedFiles(runGit) : null;
process.exit(await runSuiteScript({ unitOnly: false, changed, argv, report: "junit.xml" }));
