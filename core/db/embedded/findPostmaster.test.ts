import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostmaster } from "#core/db/embedded/findPostmaster.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

const testOnLinux = skipWithReason(
	process.platform === "linux" ? null : "only Linux tells where a process works",
);

const cluster = realpathSync(mkdtempSync(join(tmpdir(), "tapeline-postmaster-")));
const pidFile = join(cluster, "postmaster.pid");
afterAll(() => rmSync(cluster, { recursive: true }));

test("no pid file, or one that says nothing, is no postmaster", async () => {
	expect(findPostmaster(cluster)).toBeUndefined();
	await Bun.write(pidFile, "");
	expect(findPostmaster(cluster)).toBeUndefined();
});

testOnLinux("a number that now belongs to another process is no postmaster", async () => {
	await Bun.write(pidFile, `${process.pid}\n${cluster}\n`);
	expect(findPostmaster(cluster)).toBeUndefined();
});

test("a living process that works in the cluster is its postmaster", async () => {
	const child = Bun.spawn(["sleep", "60"], { cwd: cluster });
	await Bun.write(pidFile, `${child.pid}\n${cluster}\n`);
	expect(findPostmaster(cluster)).toBe(child.pid);
	child.kill(9);
	await child.exited;
	expect(findPostmaster(cluster)).toBeUndefined();
});
