import type { ConfigProblem } from "#core/config/ConfigProblem.ts";

const GOT_LENGTH_MAX = 80;

/** All problems at once, each with the variable, what it got, what it expects and who asks. */
export function renderProblems(problems: readonly ConfigProblem[]): string {
	const count = problems.length === 1 ? "one error" : `${problems.length} errors`;
	return [`The configuration has ${count}:`, ...problems.map(renderProblem)].join("\n\n");
}

function renderProblem({ variable, owner, got, expected, because }: ConfigProblem): string {
	return [
		`  ${variable}  (${owner})`,
		`    got       ${got === undefined ? "nothing: it is not set" : shortened(got)}`,
		`    expected  ${expected}`,
		...because.map((reason) => `    because   ${reason}`),
	].join("\n");
}

/** Quoted as JSON: a control character would otherwise write to the operator's terminal. */
function shortened(got: string): string {
	if (got.length <= GOT_LENGTH_MAX) return JSON.stringify(got);
	return `${JSON.stringify(got.slice(0, GOT_LENGTH_MAX))}… (${got.length} characters)`;
}
