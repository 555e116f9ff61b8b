import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnOther } from "#core/db/embedded/testing/spawnOther.ts";
import { tryFileLock } from "#core/db/embedded/tryFileLock.ts";

const folder = mkdtempSync(join(tmpdir(), "tapeline-lock-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("only one holder at a time, also within one process; releasing twice is harmless", () => {
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

test("a lock nobody references any more is still held", () => {
	const path = join(folder, "unreferenced");
	tryFileLock(path);
	Bun.gc(true);
	expect(tryFileLock(path)).toBeUndefined();
});

test("a lock ends with its process, however that ends", async () => {
	const path = join(folder, "killed");
	const holder = spawnOther("lock", path);
	expect((await holder.answer()).ok).toBe(true);
	expect(tryFileLock(path)).toBeUndefined();
	await holder.kill();
	const lock = tryFileLock(path);
	expect(lock).toBeDefined();
	lock?.release();
});

test("a folder that does not exist is a Fault, not a missing lock", () => {
	expect(() => tryFileLock(join(folder, "no", "such", "lock"))).toThrow("embedded_server_folder");
});
