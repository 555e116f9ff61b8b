/** Test files that run together. */
export type TestGroup = { name: string; files: string[]; parallel: boolean; timeLimitMs: number };

const MINUTE_MS = 60_000;

/** These start whole systems and would starve each other on two cores: one file after another. */
const SEQUENTIAL = ["sandbox", "e2e", "sim"];

export type GroupOptions = {
	/** Only files whose path contains one of these; none means all. */
	only: readonly string[];
	/** `check` leaves the whole systems out. */
	unitOnly: boolean;
	prove: boolean;
};

/** Sorts the project's test files into groups, in the order in which they run. */
export function testGroups(paths: readonly string[], options: GroupOptions): TestGroup[] {
	const { only, unitOnly, prove } = options;
	const wanted = [...paths]
		.filter((path) => only.length === 0 || only.some((part) => path.includes(part)))
		.sort();
	const factor = prove ? 10 : 1;
	const groups = [
		{ name: "unit", files: wanted.filter((path) => !systemOf(path)), parallel: true },
		...SEQUENTIAL.map((name) => ({
			name,
			files: unitOnly ? [] : wanted.filter((path) => systemOf(path) === name),
			parallel: false,
		})),
	];
	return groups
		.filter(({ files }) => files.length > 0)
		.map((group) => ({ ...group, timeLimitMs: 10 * MINUTE_MS * factor }));
}

function systemOf(path: string): string | undefined {
	return SEQUENTIAL.find((name) => path.startsWith(`test/${name}/`));
}
