// Runs one group of test files, and returns its cases.

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { testLimitMs } from "#test/harness/testLimits.ts";
import { fileTimes } from "#test/run/fileTimes.ts";
import { parseJunit, type TestCase } from "#test/run/junit.ts";
import { runChild } from "#test/run/runChild.ts";
import type { TestGroup } from "#test/run/testGroups.ts";

export type RunOptions = {
	root: string;
	reportFolder: string;
	env: Record<string, string | undefined>;
	print: (line: string) => void;
	signal?: AbortSignal | undefined;
};

type Result = Awaited<ReturnType<typeof runChild>>;

const NOISE = [
	/^bun test v/,
	/^\((pass|skip|todo)\) /,
	/^\s*\d+ (pass|fail|skip|todo|error|errors|expect\(\) calls)$/,
	/^Ran \d+ tests? across /,
	/^\d+ tests? (failed|skipped):$/,
	/^SKIP-REASON /,
];

const DETAIL_LENGTH_MAX = 4_000;

/** Runs one group and answers its cases, those included that never got to run. */
export async function runTests(group: TestGroup, options: RunOptions): Promise<TestCase[]> {
	const { root, reportFolder, env, print, signal } = options;
	await mkdir(reportFolder, { recursive: true });
	const report = `${reportFolder}/${group.name}.xml`;
	const reasons = `${reportFolder}/${group.name}.skips.jsonl`;
	const times = `${reportFolder}/${group.name}.times.json`;
	const processor = `${reportFolder}/${group.name}.processor.jsonl`;
	await Promise.all(
		[report, reasons, processor].map((path) =>
			Bun.file(path)
				.delete()
				.catch(() => {}),
		),
	);
	await Bun.write(times, fileTimes(group.files));
	const result = await runChild({
		args: [
			"test",
			// The developer's `.env` is not read again; and a file that leaks harms no other.
			"--no-env-file",
			`--parallel=${group.workers}`,
			group.isolated ? "--isolate" : "--no-isolate",
			`--timings=${times}`,
			// What each file took then stands there, hooks included: the report has only the tests.
			"--update-timings",
			// Bun's five seconds are too few for a test that starts a server on a busy machine.
			`--timeout=${testLimitMs(env.PROVE === "1")}`,
			"--reporter=junit",
			`--reporter-outfile=${report}`,
			...group.files.map((file) => `./${file}`),
		],
		cwd: root,
		env: { ...env, TEST_SKIP_REASONS_FILE: reasons, TEST_PROCESSOR_FILE: processor },
		timeLimitMs: group.timeLimitMs,
		signal,
		onLine: createLineFilter(print),
	});
	const xml = existsSync(report) ? await Bun.file(report).text() : "";
	const why = existsSync(reasons) ? await readReasons(reasons) : new Map<string, string>();
	const cases = parseJunit(xml).map((one) =>
		one.outcome === "skipped" ? { ...one, detail: why.get(one.name) ?? one.detail } : one,
	);
	return [...cases, ...unreported(group, cases, result)];
}

/**
 * Decides what of `bun test` reaches the screen: one line a file and everything about a failure,
 * and
 * not the blank lines and totals between.
 */
export function createLineFilter(print: (line: string) => void): (line: string) => void {
	let blank = false;
	let inTotals = false;
	return (line) => {
		const bare = Bun.stripANSI(line).trimEnd();
		// At its end bun names every failure again; so does our own summary.
		inTotals ||= /^\d+ tests? (failed|skipped):$/.test(bare);
		if (inTotals && /^\((fail|skip|todo)\) /.test(bare)) return;
		if (NOISE.some((pattern) => pattern.test(bare))) return;
		// Blank lines separate the parts of a failure; between files they only scroll.
		if (bare === "") {
			blank = true;
			return;
		}
		const isHeader = /^\S+\.test\.tsx?:$/.test(bare);
		if (blank && !isHeader) print("");
		blank = false;
		print(isHeader ? `  ${bare.slice(0, -1)}` : line);
	};
}

async function readReasons(path: string): Promise<Map<string, string>> {
	const lines = (await Bun.file(path).text()).split("\n").filter((line) => line !== "");
	return new Map(lines.map((line) => JSON.parse(line)).map(({ name, why }) => [name, why]));
}

/**
 * Bun leaves a file that does not load out of its report (1.4.5), and a run that is killed leaves
 * none: a report without failures does not mean that nothing failed.
 */
function unreported(group: TestGroup, cases: TestCase[], result: Result): TestCase[] {
	const failure = (file: string, name: string): TestCase => ({
		name,
		classname: group.name,
		file,
		timeSeconds: 0,
		outcome: "failed",
		detail: detailOf(file, result.output),
	});
	const reported = new Set(cases.map(({ file }) => file));
	const missing = group.files
		.filter((file) => !reported.has(file))
		.map((file) => failure(file, "the file loads and has tests"));
	if (result.timedOut) {
		const name = `the ${group.name} tests end within ${group.timeLimitMs / 1000} s`;
		return [...missing, failure(`test/run/${group.name}`, name)];
	}
	const explained = missing.length > 0 || cases.some(({ outcome }) => outcome === "failed");
	if (result.exitCode === 0 || explained) return missing;
	return [failure(`test/run/${group.name}`, `bun test ends well, not with ${result.exitCode}`)];
}

function detailOf(file: string, output: string): string {
	const plain = Bun.stripANSI(output);
	const detail = outputOf(file, output) || errorIn(file, plain);
	return detail ? detail.slice(0, DETAIL_LENGTH_MAX) : output.slice(-DETAIL_LENGTH_MAX);
}

/** What a file printed, from the first error on. */
function outputOf(file: string, output: string): string {
	let isOfFile = false;
	const lines = output.split("\n").filter((line) => {
		const header = /^(\S+\.test\.tsx?):$/.exec(Bun.stripANSI(line).trim())?.[1];
		if (header !== undefined) isOfFile = header === file;
		return isOfFile && header === undefined;
	});
	const first = lines.findIndex((line) => /^\s*\w*error: /i.test(line));
	return lines.slice(Math.max(0, first)).join("\n");
}

/**
 * What was printed from the error on that names a place in the file. Of files that run side by side
 * Bun leaves out the header at times, and the error stands below another file's.
 */
function errorIn(file: string, output: string): string {
	const lines = output.split("\n");
	const place = lines.findIndex((line) => line.includes(`/${file}:`));
	const first = lines.slice(0, place + 1).findLastIndex((line) => /^\s*\w*error: /i.test(line));
	return place < 0 || first < 0 ? "" : lines.slice(first).join("\n");
}
