import type { z } from "zod";
import type { ProblemIssue } from "#core/http/Problem.ts";

/**
 * Returns the issues of a schema for a problem document: one per unknown member, and for a union
 * those of the nearest branch. Only paths and messages, never the value that was sent.
 */
export function flatIssues(issues: readonly z.core.$ZodIssue[]): ProblemIssue[] {
	return issues.flatMap((issue) => flat(issue, []));
}

function flat(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): ProblemIssue[] {
	const path = [...above, ...issue.path];
	const { message } = issue;
	if (issue.code === "unrecognized_keys") {
		return issue.keys.map((key) => ({ path: dotted([...path, key]), message }));
	}
	if (issue.code !== "invalid_union") return [{ path: dotted(path), message }];
	const branches = issue.errors.map((branch) => branch.flatMap((one) => flat(one, path)));
	return chosen(branches) ?? [{ path: dotted(path), message }];
}

/**
 * Returns the issues of the nearest branch; null if none is nearer and they do not fit one
 * sentence.
 */
function chosen(branches: readonly (readonly ProblemIssue[])[]): ProblemIssue[] | null {
	const [first = [], ...others] = branches;
	const isCommon = (issue: ProblemIssue) => others.every((branch) => holds(branch, issue));
	const common = first.filter(isCommon);
	const rests = branches.map((branch) => branch.filter((issue) => !holds(common, issue)));
	const fewest = Math.min(...rests.map(({ length }) => length));
	const near = rests.filter(({ length }) => length === fewest);
	const [nearest = []] = near;
	if (near.length <= 1 || fewest === 0) return [...nearest, ...common];
	const leads = near.flatMap((branch) => branch[0] ?? []);
	const [lead] = leads;
	if (leads.every(({ message }) => message === lead?.message)) {
		const names = [...new Set(leads.map(({ path }) => path))].join(" or ");
		return [{ path: "", message: `${names} ${lead?.message}` }, ...common];
	}
	if (!lead || leads.some(({ path }) => path !== lead.path)) return null;
	const words = [...new Set(leads.map(({ message }) => message))].join(", or ");
	return [{ path: lead.path, message: words }, ...common];
}

function holds(issues: readonly ProblemIssue[], { path, message }: ProblemIssue): boolean {
	return issues.some((one) => one.path === path && one.message === message);
}

function dotted(path: readonly PropertyKey[]): string {
	return path.map(String).join(".");
}
