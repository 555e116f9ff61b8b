import { runChild } from "#test/run/runChild.ts";
import type { TestCase } from "#test/run/TestCase.ts";
import { GROUP_LIMIT_MS } from "#test/run/testGroups.ts";

export type Check = { name: string; args: readonly string[] };

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

export type CheckOptions = {
	root: string;
	env: Record<string, string | undefined>;
	signal?: AbortSignal | undefined;
};

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
		file: "test/run/runCheck.ts",
		timeSeconds: seconds,
		outcome: exitCode === 0 ? "passed" : "failed",
		detail: timedOut ? `not done after ${GROUP_LIMIT_MS / 1000} s\n${output}` : output,
	};
}
