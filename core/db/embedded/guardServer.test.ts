import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { takeLifeLock, tryFileLock } from "#core/db/embedded/guardServer.ts";
import { type OtherProcess, spawnOther } from "#core/db/embedded/testing/spawnOther.ts";

describe("takeLifeLock", () => {
	const folders: string[] = [];
	const others: OtherProcess[] = [];
	afterEach(async () => {
		for (const other of others.splice(0)) await other.kill();
		for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
	});

	/** Makes a lock that another process holds, with this text about the holder. */
	async function heldLock(holder: (pid: number) => string) {
		const folder = realpathSync(mkdtempSync(join(tmpdir(), "tapeline-life-")));
		folders.push(folder);
		const place = {
			lifeLock: join(folder, "life.lock"),
			holderFile: join(folder, "holder"),
			cluster: join(folder, "cluster"),
		};
		const other = spawnOther("lock", place.lifeLock);
		others.push(other);
		expect((await other.answer()).ok).toBe(true);
		writeFileSync(place.holderFile, holder(other.child.pid ?? 0));
		return { place, other };
	}
	const here = (pid: number) => `process ${pid} on host ${hostname()}`;

	test("a living holder on this host is waited for, also beyond the time for other holders", async () => {
		const { place, other } = await heldLock(here);
		let isSettled = false;
		const taking = takeLifeLock({ ...place, limits: { unseenMs: 0, endingMs: 60_000 } });
		const settling = taking.finally(() => {
			isSettled = true;
		});
		// A holder that is not waited for is refused at the first check.
		const { place: unseen } = await heldLock(() => "");
		expect(await takeLifeLock({ ...unseen, limits: { unseenMs: 0, endingMs: 60_000 } })).toBe(
			undefined,
		);
		expect(isSettled).toBe(false);
		await other.kill();
		const lock = await settling;
		expect(lock).toBeDefined();
		lock?.release();
	});

	const kept: [what: string, holder: (pid: number) => string][] = [
		["on another host", (pid) => `process ${pid} on host elsewhere`],
		["that says nothing of itself", () => ""],
		["whose process is gone", () => `process ${2 ** 30} on host ${hostname()}`],
	];
	for (const [what, holder] of kept) {
		test(`a holder ${what} keeps the lock`, async () => {
			const { place } = await heldLock(holder);
			const limits = { unseenMs: 0, endingMs: 60_000 };
			expect(await takeLifeLock({ ...place, limits })).toBeUndefined();
		});
	}

	test("a free lock is taken at once, whatever the holder file says", async () => {
		const { place, other } = await heldLock(here);
		await other.kill();
		const lock = await takeLifeLock({ ...place, limits: { unseenMs: 0, endingMs: 0 } });
		expect(lock).toBeDefined();
		lock?.release();
	});

	test("waiting for a holder that never ends has a time limit", async () => {
		const { place } = await heldLock(here);
		const limits = { unseenMs: 0, endingMs: 100 };
		expect(await takeLifeLock({ ...place, limits })).toBeUndefined();
	});
});

describe("tryFileLock", () => {
	const folder = mkdtempSync(join(tmpdir(), "tapeline-lock-"));
	afterAll(() => rmSync(folder, { recursive: true }));

	test("a lock has one holder at a time, also within one process; a second release has no effect", () => {
		const path = join(folder, "one");
		const first = tryFileLock(path);
		expect(first).toBeDefined();
		expect(tryFileLock(path)).toBeUndefined();
		first?.release();
		const second = tryFileLock(path);
		expect(second).toBeDefined();
		first?.release();
		expect(tryFileLock(path)).toBeUndefined();
		second?.release();
	});

	test("a lock without any reference to it is still held", () => {
		const path = join(folder, "unreferenced");
		tryFileLock(path);
		Bun.gc(true);
		expect(tryFileLock(path)).toBeUndefined();
	});

	test("a lock is released when its process ends, in whatever way", async () => {
		const path = join(folder, "killed");
		const holder = spawnOther("lock", path);
		expect((await holder.answer()).ok).toBe(true);
		expect(tryFileLock(path)).toBeUndefined();
		await holder.kill();
		const lock = tryFileLock(path);
		expect(lock).toBeDefined();
		lock?.release();
	});

	test("a folder that does not exist is a Fault, not a lock held by others", () => {
		expect(() => tryFileLock(join(folder, "no", "such", "lock"))).toThrow("embedded_server_folder");
	});
});
