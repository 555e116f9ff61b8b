import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostmaster, pollUntil } from "#core/db/embedded/server.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

describe("findPostmaster", () => {
	const testOnLinux = skipWithReason(
		process.platform === "linux" ? null : "only Linux tells where a process works",
	);

	const cluster = realpathSync(mkdtempSync(join(tmpdir(), "tapeline-postmaster-")));
	const pidFile = join(cluster, "postmaster.pid");
	afterAll(() => rmSync(cluster, { recursive: true }));

	test("a missing or empty pid file gives no postmaster", async () => {
		expect(findPostmaster(cluster)).toBeUndefined();
		await Bun.write(pidFile, "");
		expect(findPostmaster(cluster)).toBeUndefined();
	});

	testOnLinux("a number that now belongs to another process is no postmaster", async () => {
		await Bun.write(pidFile, `${process.pid}\n${cluster}\n`);
		expect(findPostmaster(cluster)).toBeUndefined();
	});

	test("a living process whose working folder is the cluster is its postmaster", async () => {
		const child = Bun.spawn(["sleep", "60"], { cwd: cluster });
		await Bun.write(pidFile, `${child.pid}\n${cluster}\n`);
		expect(findPostmaster(cluster)).toBe(child.pid);
		child.kill(9);
		await child.exited;
		expect(findPostmaster(cluster)).toBeUndefined();
	});
});

describe("pollUntil", () => {
	test("the first answer ends the polling, and false is an answer", async () => {
		let asked = 0;
		const answer = await pollUntil(() => (++asked < 3 ? undefined : false), {
			timeoutMs: 5_000,
			everyMs: 1,
		});
		expect(answer).toBe(false);
		expect(asked).toBe(3);
	});

	test("polling without an answer ends, after at least one call", async () => {
		let asked = 0;
		const ask = () => void asked++;
		expect(await pollUntil(ask, { timeoutMs: 0, everyMs: 1 })).toBeUndefined();
		expect(asked).toBe(1);
	});
});
