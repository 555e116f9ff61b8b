import { expect, test } from "bun:test";
import { runChild } from "#test/run/runChild.ts";

const run = (code: string, timeLimitMs = 20_000) => {
	const lines: string[] = [];
	const onLine = (line: string) => lines.push(line);
	const options = {
		args: ["-e", code],
		cwd: import.meta.dir,
		env: { ...process.env },
		timeLimitMs,
		onLine,
	};
	return runChild(options).then((result) => ({ ...result, lines }));
};

test("lines of both streams arrive, including a last line without a line end", async () => {
	const { lines, exitCode } = await run(
		"console.log('a'); console.error('b'); process.stdout.write('c'); process.exit(3)",
	);
	expect(lines.toSorted()).toEqual(["a", "b", "c"]);
	expect(exitCode).toBe(3);
});

test("a child that does not end is killed, and that is reported", async () => {
	const { timedOut, exitCode } = await run("setInterval(() => {}, 1000)", 300);
	expect(timedOut).toBe(true);
	expect(exitCode).not.toBe(0);
});

test("the child runs with this very bun, whatever PATH contains", async () => {
	const { lines } = await run("console.log(Bun.version)");
	expect(lines).toEqual([Bun.version]);
});
