// Sorts test files into groups, in the order in which they run.

import { availableParallelism } from "node:os";
import { MINUTE_MS } from "#core/time.ts";
import type { TestCase } from "#test/run/junit.ts";
import { runChild } from "#test/run/runChild.ts";

/** Test files that run together, so many at a time. */
export type TestGroup = {
	name: string;
	files: string[];
	workers: number;
	timeLimitMs: number;
	/** Each file loads everything anew, and finds nothing that another one left behind. */
	isolated: boolean;
};

export type GroupOptions = {
	/** Only files whose path contains one of these; none means all. */
	only: readonly string[];
	/** `check` leaves the whole systems out. */
	unitOnly: boolean;
	prove: boolean;
};

export type Check = { name: string; args: readonly string[] };

export type CheckOptions = {
	root: string;
	env: Record<string, string | undefined>;
	signal?: AbortSignal | undefined;
};

/** Only what hangs takes so long, also on two cores that others keep busy. */
const GROUP_LIMIT_MS = 45 * MINUTE_MS;

/** These start whole systems; what they are made of has unit tests in folders of its own. */
const SYSTEMS =
	/^test\/(?:e2e\/(?!oracle\/)|conformance\/|sandbox\/sandbox\.|sim\/(?:[^/]+|syncs\/[^/]+)$)/;

/**
 * Unit tests that change what others would find: the environment, a global, what a module keeps.
 * All others share their modules with the files that ran before in the same process: to load them
 * anew was half of what most of them cost.
 */
export const isolatedFiles: readonly string[] = [
	// They set the clock of the process.
	"core/createMemoryLimiter.test.ts",
	// They change its environment.
	"core/db/embedded/runCommand.test.ts",
	"core/db/embedded/socketUrl.test.ts",
];

/** A test waits for a database, a chain or a socket about as long as it works. */
const UNIT_WORKERS = 2 * availableParallelism();

/** A whole system is several processes, and waits for blocks and for a provider's pace. */
const SYSTEM_WORKERS = 1 + availableParallelism();

/** What is checked before the first test: each is one case of the report. */
export const checks: readonly Check[] = [
	{
		name: "types: tsc finds no error",
		// Several checkers at once each look at what they share: half as much work again.
		args: ["node_modules/typescript/bin/tsc", "--noEmit", "--singleThreaded", "-p", "."],
	},
	{
		name: "lint: Biome finds no error",
		args: [
			"node_modules/@biomejs/biome/bin/biome",
			"check",
			"--config-path=test/tidy/lint.json",
			"--max-diagnostics=40",
			"--diagnostic-level=error",
			"core",
			"plugins",
			"agent",
			"api",
			"test",
		],
	},
];

/** Sorts the project's test files into groups, in the order in which they run. */
export function testGroups(paths: readonly string[], options: GroupOptions): TestGroup[] {
	const { only, unitOnly, prove } = options;
	const wanted = [...paths]
		.filter((path) => only.length === 0 || only.some((part) => path.includes(part)))
		.sort();
	const factor = prove ? 10 : 1;
	const units = wanted.filter((path) => !SYSTEMS.test(path));
	const systems = unitOnly ? [] : wanted.filter((path) => SYSTEMS.test(path));
	const [apart, together] = [true, false].map((is) =>
		units.filter((path) => isolatedFiles.includes(path) === is),
	);
	const groups = [
		{ name: "unit", files: together ?? [], workers: UNIT_WORKERS, isolated: false },
		{ name: "isolated", files: apart ?? [], workers: UNIT_WORKERS, isolated: true },
		{ name: "systems", files: systems, workers: SYSTEM_WORKERS, isolated: true },
	];
	return groups
		.filter(({ files }) => files.length > 0)
		.map((group) => ({ ...group, timeLimitMs: GROUP_LIMIT_MS * factor }));
}

/** Runs one check; its output is the detail of its failure. */
export async function runCheck(
	{ name, args }: Check,
	{ root, env, signal }: CheckOptions,
): Promise<TestCase> {
	const { exitCode, output, seconds, timedOut } = await runChild({
		args,
		cwd: root,
		env,
		// Tests run beside them.
		timeLimitMs: GROUP_LIMIT_MS,
		signal,
	});
	return {
		name,
		classname: "check",
		file: "test/run/testGroups.ts",
		timeSeconds: seconds,
		outcome: exitCode === 0 ? "passed" : "failed",
		detail: timedOut ? `not done after ${GROUP_LIMIT_MS / 1000} s\n${output}` : output,
	};
}
