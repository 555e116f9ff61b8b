import { changedFiles } from "#test/run/changedFiles.ts";
import { runGit } from "#test/run/runGit.ts";
import { runSuiteScript } from "#test/run/runSuiteScript.ts";

const argv = process.argv.slice(2);
// `--all` and parts of paths say which tests run.
const isOfChanged = argv.every((argument) => argument === "--changed" || argument === "--times");
const changed = isOfChanged ? await changedFiles(runGit) : null;
process.exit(await runSuiteScript({ unitOnly: true, changed, argv, report: "check.xml" }));
