import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileTimes, longFiles } from "#test/run/fileTimes.ts";

const root = join(import.meta.dir, "../..");

test("each test file has a time, and the files listed as long have the longest", () => {
	const [long = ""] = longFiles;
	const { version, files } = JSON.parse(fileTimes(["core/a.test.ts", long]));
	expect(version).toBe(1);
	expect(Object.keys(files)).toEqual(["core/a.test.ts", long]);
	expect(files[long]).toBeGreaterThan(files["core/a.test.ts"]);
});

test("every file that is listed as long exists", () => {
	expect(longFiles.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
