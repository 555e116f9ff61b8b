import { afterAll } from "bun:test";
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { reapedSecondsOf } from "#test/bench/measure/processCost.ts";

// Loaded by `bunfig.toml` before each test file, or once for all files of a process that share
// their modules. Writes down what the process worked for a file, and what the processes that it
// started and waited for did, for `bun run test --times`.
const { TEST_PROCESSOR_FILE: path } = process.env;
if (path !== undefined) {
	let before = workedSeconds();
	afterAll(() => {
		const now = workedSeconds();
		const file = relative(process.cwd(), Bun.main);
		appendFileSync(path, `${JSON.stringify({ file, seconds: now - before })}\n`);
		before = now;
	});
}

function workedSeconds(): number {
	const { user, system } = process.cpuUsage();
	const reaped = reapedSecondsOf(process.pid);
	return (user + system) / 1e6 + (Number.isNaN(reaped) ? 0 : reaped);
}
