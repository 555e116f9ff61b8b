import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { longFiles } from "#test/run/fileTimes.ts";
import { runTests } from "#test/run/runTests.ts";

test("long files begin before short ones, whatever they are called", async () => {
	const root = await mkdtemp(join(tmpdir(), "tapeline-tests-"));
	try {
		const [longest = "", longer = ""] = longFiles;
		const files = ["core/a.test.ts", longer, "core/b.test.ts", longest];
		for (const file of files) {
			const told = `console.log("began ${file}");`;
			const text = `import { test } from "bun:test";\ntest("is", () => {\n${told}\n});\n`;
			await Bun.write(join(root, file), text);
		}
		const began: string[] = [];
		const group = { name: "some", files, workers: 2, isolated: true, timeLimitMs: 60_000 };
		const cases = await runTests(group, {
			root,
			reportFolder: join(root, "report"),
			env: process.env,
			print: (line) => began.push(...(/^began (.+)$/.exec(line)?.slice(1) ?? [])),
		});
		expect(cases.map(({ outcome }) => outcome)).toEqual(Array(4).fill("passed"));
		expect([longest, longer]).toContain(began[0] ?? "none began");
	} finally {
		await rm(root, { recursive: true });
	}
});
