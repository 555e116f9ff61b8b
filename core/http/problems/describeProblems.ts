import type { FaultEntry } from "#core/fault/faultCatalogue.ts";

/** A code as its page shows it. */
export type DescribedProblem = {
	code: string;
	/** Each thing that it can mean, with what to do about it. */
	cases: ProblemCase[];
};

export type ProblemCase = { status: number; meaning: string; advice: string };

/** The codes of a catalogue, by the alphabet; what is defined twice alike is one case. */
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

/** What is true of every Fault of a kind. */
function adviceFor({ status, retry }: FaultEntry): string {
	if (retry !== "never") {
		return "Wait as long as `Retry-After` says, or a few seconds, and send the same request again.";
	}
	if (status >= 500) {
		return "Waiting does not help. Tell an operator of the deployment the `requestId`.";
	}
	return "Correct the request before you send it again; `detail` and `issues` say what is wrong.";
}
