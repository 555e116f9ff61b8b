// Runs types, lint and every test, and the failed files once more.

import { join } from "node:path";
import { type FileTime, readTimes, timesTable } from "#test/run/fileTimes.ts";
import { type FlakyTest, giveSecondChance, keepFlaky } from "#test/run/flaky.ts";
import { renderJunit, type TestCase } from "#test/run/junit.ts";
import { childEnvironment } from "#test/run/runChild.ts";
import { runTests } from "#test/run/runTests.ts";
import { summaryOf } from "#test/run/summaryOf.ts";
import {
	type CheckOptions,
	checks,
	runCheck,
	type TestGroup,
	testGroups,
} from "#test/run/testGroups.ts";
import { readImports, testsOfChanged } from "#test/run/testsOfChanged.ts";

export type SuiteOptions = {
	/** Leaves out whatever starts a whole system. */
	unitOnly: boolean;
	/** Only tests that these files reach run, and the rules of style; null or left out: all tests. */
	changed?: readonly string[] | null;
	/** The arguments: `--prove`, `--times`, and parts of paths to run only those files. */
	argv: readonly string[];
	/** The name of the report in `test/.report`. */
	report: string;
	root?: string;
	/** Added to the tests' environment. */
	env?: Record<string, string>;
	print?: (line: string) => void;
	/** Ends the run: nothing more starts, and what runs is ended. */
	signal?: AbortSignal;
};

const EXIT_INTERRUPTED = 130;

/**
 * Runs types, lint and every test, and the files that failed once more (not in `prove`, which looks
 * for what fails rarely). Writes one report, prints the totals, and returns the exit code.
 */
export async function runSuite(options: SuiteOptions): Promise<number> {
	const { unitOnly, argv, report, signal, root = join(import.meta.dir, "../..") } = options;
	const { print = (line: string) => process.stdout.write(`${line}\n`) } = options;
	const prove = argv.includes("--prove");
	const only = argv.filter((argument) => !argument.startsWith("--"));
	const reportFolder = join(root, "test/.report");
	const reportFile = join(reportFolder, report);
	// A report of an earlier run must not be taken for this one's.
	await Bun.file(reportFile)
		.delete()
		.catch(() => {});
	const env = { ...(await childEnvironment(root, prove)), ...options.env };
	if (prove) print(`── TEST_SEED=${env.TEST_SEED} bun run prove does the same again`);
	let cases: TestCase[] = [];
	let flaky: FlakyTest[] = [];
	// Beside the tests: by themselves they leave a core idle.
	const checking = only.length === 0 ? checkAll({ root, env, print, signal }) : Promise.resolve([]);
	const tests = await testsToRun(root, options.changed ?? null);
	if (options.changed)
		print(`── ${tests.length} files that ${options.changed.length} changes reach`);
	const groups = testGroups(tests, { only, unitOnly, prove });
	const times = new Map<string, FileTime>();
	const beganAt = performance.now();
	const running = { root, reportFolder: join(reportFolder, "parts"), env, print, signal };
	for (const group of groups) {
		if (signal?.aborted) break;
		print(`── ${group.name}: ${group.files.length} files`);
		cases.push(...(await runTests(group, running)));
		const read = await readTimes(running.reportFolder, group.name, group.files);
		for (const [file, each] of read) times.set(file, each);
	}
	const tookSeconds = (performance.now() - beganAt) / 1_000;
	const checked = await checking;
	if (!prove && !signal?.aborted) {
		const runAlone = async (group: TestGroup, file: string) =>
			signal?.aborted ? [] : runTests({ ...group, files: [file], workers: 1 }, running);
		({ cases, flaky } = await giveSecondChance(cases, groups, { runAlone, print }));
	}
	if (signal?.aborted) {
		print("── interrupted");
		return EXIT_INTERRUPTED;
	}
	if (!prove) await keepFlaky(join(reportFolder, "flaky.json"), flaky, new Date());
	cases.unshift(...checked);
	await Bun.write(reportFile, renderJunit(cases));
	await Bun.write(join(reportFolder, "times.json"), JSON.stringify(Object.fromEntries(times)));
	const { lines, ok } = summaryOf(cases, flaky);
	// Above the totals, which stay what a run ends with.
	const table = argv.includes("--times") ? timesTable(times, { cases, tookSeconds }) : [];
	for (const line of [...table, ...lines]) print(line);
	return ok ? 0 : 1;
}

/** Types and lint, each told as soon as it is known. */
function checkAll(options: CheckOptions & { print: (line: string) => void }): Promise<TestCase[]> {
	const { print } = options;
	print("── types and lint");
	return Promise.all(
		checks.map(async (check) => {
			const one = await runCheck(check, options);
			const { outcome, name, detail } = one;
			print(outcome === "passed" ? `  ${name}` : `${detail}\n  FAILED  ${name}`);
			return one;
		}),
	);
}

async function testsToRun(root: string, changed: readonly string[] | null): Promise<string[]> {
	const all = testFiles(root);
	return changed ? testsOfChanged(all, { changed, imports: await readImports(root) }) : all;
}

function testFiles(root: string): string[] {
	const glob = new Bun.Glob("{core,plugins,agent,api,test}/**/*.test.{ts,tsx}");
	return [...glob.scanSync({ cwd: root })].filter((path) => !path.includes("node_modules/"));
}
