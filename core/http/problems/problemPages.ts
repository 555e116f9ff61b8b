import { escapeHtml } from "#core/http/pages/escapeHtml.ts";
import type { Page } from "#core/http/pages/pageResponse.ts";
import type { DescribedProblem, ProblemCase } from "#core/http/problems/describeProblems.ts";
import { statusWords } from "#core/http/statusWords.ts";

/** Returns the page of one code. */
export function problemPage({ code, cases }: DescribedProblem): Page {
	const body = `<dl>${cases.map(shown).join("\n")}</dl>
<p>Who asks for help names the <code>requestId</code> of the answer.
All codes: <a href="/problems">/problems</a>.</p>`;
	return { title: code, body };
}

/** Returns the page of all codes. */
export function problemListPage(problems: readonly DescribedProblem[]): Page {
	const parts = problems.map(({ code, cases }) => {
		const name = escapeHtml(code);
		return `<h2 id="${name}"><a href="/problems/${name}">${name}</a></h2>
<dl>${cases.map(shown).join("\n")}</dl>`;
	});
	const body = `<p>Error answers are <code>application/problem+json</code>.
Their <code>code</code> is one of these.
Those that no route documents are seen in logs, or where a process does not start.</p>
${parts.join("\n")}`;
	return { title: "Problem codes", body };
}

function shown({ status, meaning, advice }: ProblemCase): string {
	const words = statusWords(status) ?? "";
	return `<dt>${worded(meaning)}</dt>
<dd>${worded(advice)}</dd>
<dd>HTTP ${status} ${escapeHtml(words)}</dd>`;
}

/** Escapes a sentence, and shows text between backticks as code. */
function worded(text: string): string {
	return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}
