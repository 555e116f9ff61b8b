import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { scratchFolder } from "#test/run/scratchFolder.ts";

test("a run's folder is its own, and gone with it", async () => {
	const [one, other] = [await scratchFolder(), await scratchFolder()];
	expect(one.path).not.toBe(other.path);
	await one.remove();
	expect([existsSync(one.path), existsSync(other.path)]).toEqual([false, true]);
	await other.remove();
});

test("where there is no memory to have, it lies with the other temporary files", async () => {
	const scratch = await scratchFolder(join(tmpdir(), "no-such-folder"));
	expect(dirname(scratch.path)).toBe(tmpdir());
	await scratch.remove();
});

test("what a killed run left is removed, and what a living one has is not", async () => {
	const parent = await mkdtemp(join(tmpdir(), "scratch-parent-"));
	const dead = Bun.spawn(["true"]);
	await dead.exited;
	const names = [`tapeline-test-${dead.pid}-a`, `tapeline-test-${process.ppid}-a`, "another"];
	for (const name of names) await mkdir(join(parent, name, "inside"), { recursive: true });
	const { path } = await scratchFolder(parent);
	const left = await readdir(parent);
	expect(left.sort()).toEqual([...names.slice(1), path.slice(parent.length + 1)].sort());
	await rm(parent, { recursive: true });
});
