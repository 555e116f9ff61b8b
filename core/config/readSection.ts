import { z } from "zod";
import type { ConfigProblem } from "#core/config/ConfigProblem.ts";
import type { ConfigSection } from "#core/config/ConfigSection.ts";
import { expectation } from "#core/config/expectation.ts";
import { type Field, fieldOf } from "#core/config/fieldOf.ts";
import { MASK, maskValue } from "#core/config/maskValue.ts";
import { readBoolean } from "#core/config/readBoolean.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { readNumber } from "#core/config/readNumber.ts";

/** More reasons than this for one variable are one reason: the wrong text was pasted. */
const REASONS_MAX = 5;

export type SectionReading = { values: Record<string, unknown>; problems: ConfigProblem[] };

/** Reads one owner's variables. With problems, `values` is empty. */
export function readSection({ owner, schema }: ConfigSection, env: Environment): SectionReading {
	const input: Record<string, unknown> = {};
	const problems = new Map<string, ConfigProblem>();
	for (const [name, declared] of Object.entries(schema.shape)) {
		const text = textOf(name, env);
		if (text === undefined) continue;
		const field = fieldOf(declared);
		const value = readText(text, field);
		// Zod must not see it: `z.coerce.boolean()` would take any text for true.
		if (value === undefined) problems.set(name, problemOf({ name, owner, text, field }));
		else input[name] = value;
	}
	const result = schema.safeParse(input);
	const issues = Object.groupBy(result.error?.issues ?? [], ({ path }) => String(path[0] ?? ""));
	for (const [name, ofName = []] of Object.entries(issues)) {
		const declared = schema.shape[name];
		if (problems.has(name)) continue;
		problems.set(
			name,
			declared
				? problemOf({
						name,
						owner,
						text: textOf(name, env),
						field: fieldOf(declared),
						issues: ofName,
					})
				: togetherProblem(owner, ofName),
		);
	}
	return { values: result.data ?? {}, problems: [...problems.values()] };
}

/** The variable's text; the empty text counts as not set. */
function textOf(name: string, env: Environment): string | undefined {
	return env[name]?.trim() || undefined;
}

/** The text as the schema's kind of value; undefined where it is none. */
function readText(text: string, { base }: Field): string | number | boolean | undefined {
	if (base instanceof z.ZodBoolean) return readBoolean(text);
	if (base instanceof z.ZodNumber) return readNumber(text);
	return text;
}

type Problem = {
	name: string;
	owner: string;
	text: string | undefined;
	field: Field;
	issues?: z.core.$ZodIssue[];
};

function problemOf({ name, owner, text, field, issues = [] }: Problem): ConfigProblem {
	const words = expectation(field);
	const told = text === undefined ? [] : issues.filter((issue) => !words || isSpecific(issue));
	const reasons = told.slice(0, REASONS_MAX).map((issue) => reasonOf(issue, text));
	const shown =
		text === undefined
			? undefined
			: maskValue({ name, text, declaredSecret: field.declaredSecret });
	return {
		variable: name,
		owner,
		got: shown,
		expected: words ?? reasons.shift() ?? "a value",
		because: reasons,
	};
}

/** Says more than "invalid input": written by the schema's author, or about a part of the value. */
function isSpecific(issue: z.core.$ZodIssue): boolean {
	return issue.code === "custom" || issue.path.length > 1;
}

function reasonOf({ path, message }: z.core.$ZodIssue, text = ""): string {
	const inside = path.slice(1).map(String).join(".");
	const reason = inside ? `at ${inside}: ${message}` : message;
	// An author's message may quote the value, and the value may be a secret.
	return text ? reason.replaceAll(text, MASK) : reason;
}

/** A rule of the whole schema, about several variables at once. */
function togetherProblem(owner: string, issues: z.core.$ZodIssue[]): ConfigProblem {
	const [first, ...others] = issues.map(({ message }) => message);
	return {
		variable: "(several variables)",
		owner,
		got: undefined,
		expected: first ?? "another combination",
		because: others,
	};
}
