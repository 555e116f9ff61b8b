export type SuiteAsk =
	| { kind: "run" }
	| { kind: "help"; text: string }
	| { kind: "wrong"; text: string };

const USAGE = `bun run check [PART …]     types, lint and unit tests
bun run test [PART …]      the same, and the tests of whole systems
bun run prove [PART …]     the same at full length, with fresh seeds, each of which it prints

PART   runs only the test files whose path contains one of the parts, without types and lint:
       bun run test core/money buys
What is left out says why. The report is in test/.report, the totals are the last line.`;

/** Reads the arguments of `check`, `test` and `prove`; an unknown one is refused with the usage. */
export function readSuiteArgs(argv: readonly string[]): SuiteAsk {
	if (argv.includes("--help") || argv.includes("-h")) return { kind: "help", text: USAGE };
	const unknown = argv.find((argument) => argument.startsWith("-") && argument !== "--prove");
	if (unknown === undefined) return { kind: "run" };
	return { kind: "wrong", text: `"${unknown}" is not an option.\n\n${USAGE}` };
}
