import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepFlaky } from "#test/run/keepFlaky.ts";

const at = (day: number) => new Date(Date.UTC(2026, 0, day));

test("the list has every flaky test of the clone once, with how often and how it failed", async () => {
	const folder = await mkdtemp(join(tmpdir(), "tapeline-flaky-"));
	const path = join(folder, "flaky.json");
	const a = { file: "core/a.test.ts", test: "a", detail: "first" };
	const b = { file: "core/b.test.ts", test: "b", detail: "other" };
	try {
		await keepFlaky(path, [], at(1));
		expect(await Bun.file(path).json()).toEqual([]);
		await keepFlaky(path, [a, b], at(2));
		await keepFlaky(path, [{ ...a, detail: "second" }], at(3));
		expect(await Bun.file(path).json()).toEqual([
			{ ...a, times: 2, lastSeen: at(3).toISOString(), detail: "second" },
			{ ...b, times: 1, lastSeen: at(2).toISOString() },
		]);
		// What somebody's editor left is no reason to fail a run.
		await Bun.write(path, "[{");
		await keepFlaky(path, [b], at(4));
		expect(await Bun.file(path).json()).toMatchObject([{ ...b, times: 1 }]);
	} finally {
		await rm(folder, { recursive: true });
	}
});
