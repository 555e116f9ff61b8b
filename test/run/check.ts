import { runGit, runSuiteScript } from "#test/run/runSuiteScript.ts";
import { changedFiles } from "#test/run/testsOfChanged.ts";

const argv = process.argv.slice(2);
// `--all` and parts of paths say which tests run.
const isOfChanged = argv.every((argument) => argument === "--changed" || argument === "--times");
const changed = isOfChanged ? await changedFiles(runGit) : null;
process.exit(await runSuiteScript({ unitOnly: true, changed, argv, report: "check.xml" }));
