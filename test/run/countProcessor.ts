import { afterAll } from "bun:test";
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { reapedSecondsOf } from "#test/bench/measure/cpuSecondsOf.ts";

// Loaded before each test file, by `bunfig.toml`. Writes down what the file's process worked for
// it, and what the processes that it started and waited for did, for `bun run test --times`.
const { TEST_PROCESSOR_FILE: path } = process.env;
if (path !== undefined) {
	const began = process.cpuUsage();
	const reapedBefore = reapedSecondsOf(process.pid);
	afterAll(() => {
		const { user, system } = process.cpuUsage(began);
		const reaped = reapedSecondsOf(process.pid) - reapedBefore;
		const seconds = (user + system) / 1e6 + (Number.isNaN(reaped) ? 0 : reaped);
		const file = relative(process.cwd(), Bun.main);
		appendFileSync(path, `${JSON.stringify({ file, seconds })}\n`);
	});
}
