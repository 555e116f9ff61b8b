import { join } from "node:path";
import { changedFiles } from "#test/run/changedFiles.ts";
import { runSuiteScript } from "#test/run/runSuiteScript.ts";

const argv = process.argv.slice(2);
// `--all` and parts of paths say which tests run.
const changed = argv.length > 0 ? null : await changedFiles(git);
process.exit(await runSuiteScript({ unitOnly: true, changed, argv, report: "check.xml" }));

async function git(args: readonly string[]): Promise<string | null> {
	if (Bun.which("git") === null) return null;
	const cwd = join(import.meta.dir, "../..");
	const child = Bun.spawn(["git", ...args], { cwd, stdout: "pipe", stderr: "ignore" });
	const [text, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited]);
	return exitCode === 0 ? text : null;
}
