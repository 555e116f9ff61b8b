import { expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "#test/harness/until.ts";
import { runChild } from "#test/run/runChild.ts";

/** Starts three that stay: a child, a child in a group of its own, and one without a parent. */
const leaves = (folder: string) => `
const sleep = ["sh", "-c", 'echo $$ >> ${folder}/pids; exec sleep 1000'];
Bun.spawn(sleep, { stdin: "ignore", stdout: "ignore" });
Bun.spawn(sleep, { stdin: "ignore", stdout: "ignore", detached: true });
const orphan = "(echo $(exec sh -c 'echo $PPID') >> ${folder}/pids; exec sleep 1000) & sleep 2";
Bun.spawn(["sh", "-c", orphan], { stdin: "ignore", stdout: "ignore", detached: true });
setInterval(() => {}, 1_000);`;

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

test("a child that is interrupted leaves no process that it started", async () => {
	const folder = await mkdtemp(join(tmpdir(), "tapeline-descendants-"));
	const interrupted = new AbortController();
	const pids = async () => {
		const text = await readFile(join(folder, "pids"), "utf8").catch(() => "");
		return text.split("\n").filter(Boolean).map(Number);
	};
	try {
		const run = runChild({
			args: ["-e", leaves(folder)],
			cwd: import.meta.dir,
			env: process.env,
			timeLimitMs: 1_000_000,
			signal: interrupted.signal,
		});
		await until(async () => (await pids()).length === 3, "three processes run");
		// One second later the list is made anew, and a second after that one has no parent.
		await Bun.sleep(2_500);
		interrupted.abort();
		const { exitCode, timedOut } = await run;
		expect([exitCode === 0, timedOut]).toEqual([false, false]);
		await until(async () => !(await pids()).some(isAlive), "all of them are gone");
	} finally {
		await rm(folder, { recursive: true });
	}
});
