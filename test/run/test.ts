import { changedFiles } from "#test/run/changedFiles.ts";
import { runGit } from "#test/run/runGit.ts";
import { runSuiteScript } from "#test/run/runSuiteScript.ts";

const argv = process.argv.slice(2);
const changed = argv.includes("--changed") ? await changedFiles(runGit) : null;
process.exit(await runSuiteScript({ unitOnly: false, changed, argv, report: "junit.xml" }));
