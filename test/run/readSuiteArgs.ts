export type SuiteAsk =
	| { kind: "run" }
	| { kind: "help"; text: string }
	| { kind: "wrong"; text: string };

const USAGE = `bun run check              types, lint, style, unit tests that your changes reach
bun run check --all        the same, with every unit test
bun run test [PART …]      the same, and the tests of whole systems
bun run test --changed     as check, and tests of whole systems that your changes reach
bun run prove [PART …]     the same at full length, with fresh seeds, each of which it prints
bun run test --times       as test, and prints which twenty files work longest

PART   runs only the test files whose path contains one of the parts, also of check, without
       types and lint:
       bun run test core/money buys
What is left out says why. Files that failed run once more at the end, not in prove: a test that
passes then stands under the totals as flaky. The report is in test/.report.`;

const OPTIONS = new Set(["--prove", "--all", "--changed", "--times"]);

/** Reads the arguments of `check`, `test` and `prove`; an unknown one is refused with the usage. */
export function readSuiteArgs(argv: readonly string[]): SuiteAsk {
	if (argv.includes("--help") || argv.includes("-h")) return { kind: "help", text: USAGE };
	const unknown = argv.find((argument) => argument.startsWith("-") && !OPTIONS.has(argument));
	if (unknown === undefined) return { kind: "run" };
	return { kind: "wrong", text: `"${unknown}" is not an option.\n\n${USAGE}` };
}
