import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { takeLifeLock } from "#core/db/embedded/takeLifeLock.ts";
import { type OtherProcess, spawnOther } from "#core/db/embedded/testing/spawnOther.ts";

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

test("a holder that lives here without a server is waited for, past the wait for others", async () => {
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

test("a free lock is taken at once, whatever is written about its last holder", async () => {
	const { place, other } = await heldLock(here);
	await other.kill();
	const lock = await takeLifeLock({ ...place, limits: { unseenMs: 0, endingMs: 0 } });
	expect(lock).toBeDefined();
	lock?.release();
});

test("even a holder that never ends is given up at last", async () => {
	const { place } = await heldLock(here);
	const limits = { unseenMs: 0, endingMs: 100 };
	expect(await takeLifeLock({ ...place, limits })).toBeUndefined();
});
