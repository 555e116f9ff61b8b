import type { FaultEntry } from "#core/fault/faultCatalogue.ts";

/** A code for its page. */
export type DescribedProblem = {
	code: string;
	/** Each meaning of the code, with advice. */
	cases: ProblemCase[];
};

export type ProblemCase = { status: number; meaning: string; advice: string };

/** Returns the codes of a catalogue in alphabetical order; equal definitions are one case. */
export function describeProblems(entries: readonly FaultEntry[]): DescribedProblem[] {
	const byCode = Map.groupBy(entries, ({ code }) => code);
	return [...byCode]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([code, defined]) => {
			const cases = defined.map(caseOf);
			return { code, cases: [...new Map(cases.map((one) => [one.meaning, one])).values()] };
		});
}

function caseOf(entry: FaultEntry): ProblemCase {
	const { status, meaning, advice = adviceFor(entry) } = entry;
	return { status, meaning, advice };
}

/** Returns the advice that applies to every Fault of this kind. */
function adviceFor({ status, retry }: FaultEntry): string {
	if (retry !== "never") {
		return "Wait as long as `Retry-After` says, or a few seconds, and send the same request again.";
	}
	if (status >= 500) {
		return "Waiting does not help. Tell an operator of the deployment the `requestId`.";
	}
	return "Correct the request before you send it again; `detail` and `issues` say what is wrong.";
}
