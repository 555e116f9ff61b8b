import { join } from "node:path";
import type { Git } from "#test/run/changedFiles.ts";

/** Runs git in this clone. */
export const runGit: Git = async (args) => {
	if (Bun.which("git") === null) return null;
	const cwd = join(import.meta.dir, "../..");
	const child = Bun.spawn(["git", ...args], { cwd, stdout: "pipe", stderr: "ignore" });
	const [text, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited]);
	return exitCode === 0 ? text : null;
};
