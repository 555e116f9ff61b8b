// Reads the environment for all owners, and names everything that is wrong at once.

import { z } from "zod";
import {
	type Config,
	type ConfigProblem,
	type ConfigSection,
	expectation,
	type Field,
	fieldOf,
	readBoolean,
	readNumber,
} from "#core/config/fields.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { MASK, maskValue } from "#core/config/renderConfig.ts";
import { editDistance } from "#core/editDistance.ts";
import { assert, defineFaults } from "#core/fault.ts";

export type SectionReading = { values: Record<string, unknown>; problems: ConfigProblem[] };

type Problem = {
	name: string;
	owner: string;
	text: string | undefined;
	field: Field;
	issues?: z.core.$ZodIssue[];
};

export const configFault = defineFaults({
	configInvalid: { status: 500, retry: "never", public: "The configuration is invalid." },
});

/** Limits the reasons that are shown for one variable: with more, the wrong text was pasted. */
const REASONS_MAX = 5;

const GOT_LENGTH_MAX = 80;

/**
 * Reads the environment for all owners, or throws one Fault that names everything that is wrong: an
 * operator who corrects one error a start gives up at the third.
 *
 * A variable set to the empty text counts as not set: that is how compose files and CI pass on
 * what they do not have.
 *
 * @example
 * const section = { owner: "core", schema: coreConfig };
 * const { PORT } = parseConfig([section], readEnvironment()).of(section);
 */
export function parseConfig(
	sections: readonly ConfigSection[],
	env: Environment,
	/** What else is wrong, found by other means: told beside, where the rest is wrong too. */
	beside: readonly ConfigProblem[] = [],
): Config {
	const problems = declarationProblems(sections);
	const valuesByOwner = new Map<string, Record<string, unknown>>();
	for (const section of sections) {
		const read = readSection(section, env);
		problems.push(...read.problems);
		valuesByOwner.set(section.owner, read.values);
	}
	if (problems.length > 0) {
		problems.push(...beside);
		throw configFault.configInvalid({ detail: renderProblems(problems), meta: { problems } });
	}
	return {
		of: <Schema extends z.ZodObject>({ owner }: ConfigSection<Schema>) => {
			const values = valuesByOwner.get(owner);
			assert(values, `no configuration was parsed for ${owner}`);
			// What zod checked gets its type back; a Map cannot carry it.
			return values as z.output<Schema>;
		},
		warnings: misspelled(sections, env),
	};
}

/**
 * Returns what is wrong with the declarations themselves, whatever the environment holds: a third
 * party's plugin may claim a variable that somebody else reads differently.
 */
export function declarationProblems(sections: readonly ConfigSection[]): ConfigProblem[] {
	const problems: ConfigProblem[] = [];
	const owners = new Set<string>();
	const declared = new Map<string, { owner: string; schema: unknown }>();
	for (const { owner, schema } of sections) {
		const refuse = (variable: string, expected: string) =>
			problems.push({ variable, owner, got: "its declaration", expected, because: [] });
		if (owners.has(owner)) refuse("(owner)", `one section, but "${owner}" has two`);
		owners.add(owner);
		for (const [name, fieldSchema] of Object.entries(schema.shape)) {
			const reason = declarationFault(name, fieldSchema);
			if (reason) refuse(name, reason);
			const first = declared.get(name);
			if (first && first.schema !== fieldSchema) {
				refuse(name, `the schema that ${first.owner} declares it with: import it, or rename one`);
			}
			declared.set(name, first ?? { owner, schema: fieldSchema });
		}
	}
	return problems;
}

/**
 * Returns warnings about variables that are set, that nobody reads, and that look like one of ours.
 *
 * Only a warning: the environment is shared with every other program of the machine.
 */
export function misspelled(sections: readonly ConfigSection[], env: Environment): string[] {
	const known = new Set(sections.flatMap(({ schema }) => Object.keys(schema.shape)));
	// A variable that is set under its right name is not the one that was misspelled.
	const missing = [...known].filter((name) => !env[name]);
	const warnings: string[] = [];
	for (const name of Object.keys(env).sort()) {
		if (known.has(name) || !env[name]) continue;
		const meant = nearestName(name, missing);
		if (meant) warnings.push(`${name} is set, but nothing reads it. Is it meant to be ${meant}?`);
	}
	return warnings;
}

/** Returns the known name that `name` probably misspells; undefined: none. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
	const wanted = name.toUpperCase();
	let best: { name: string; distance: number } | undefined;
	for (const candidate of known) {
		const distance = editDistance(wanted, candidate);
		if (distance <= allowedDistance(candidate) && distance < (best?.distance ?? Infinity)) {
			best = { name: candidate, distance };
		}
	}
	return best?.name;
}

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

/**
 * Writes all problems at once, each with the variable, what it got, what it expects and who asks.
 */
export function renderProblems(problems: readonly ConfigProblem[]): string {
	const each = merged(problems);
	const count = each.length === 1 ? "one error" : `${each.length} errors`;
	return [`The configuration has ${count}:`, ...each.map(renderProblem)].join("\n\n");
}

/** Tells what is wrong with one variable once, whoever reads it: each owner that does is named. */
function merged(problems: readonly ConfigProblem[]): ConfigProblem[] {
	const byText = Map.groupBy(problems, ({ owner: _, ...told }) => JSON.stringify(told));
	return [...byText.values()].flatMap((alike) => {
		const [first] = alike;
		return first ? [{ ...first, owner: alike.map(({ owner }) => owner).join(", ") }] : [];
	});
}

function declarationFault(name: string, schema: z.core.$ZodType): string | undefined {
	if (!/^[A-Z][A-Z0-9_]*$/.test(name)) return "a name of capital letters, digits and _";
	const { base, description } = fieldOf(schema);
	if (!description) return "a .describe() that says what it is for";
	const structured =
		base instanceof z.ZodArray || base instanceof z.ZodObject || base instanceof z.ZodRecord;
	return structured ? "commaList or jsonText: a variable is text" : undefined;
}

/** Returns how many letters may be wrong: POST is not a misspelt HOST or PORT. */
function allowedDistance(name: string): number {
	if (name.length <= 4) return 0;
	return name.length <= 7 ? 1 : 2;
}

/** Returns the variable's text; the empty text counts as not set. */
function textOf(name: string, env: Environment): string | undefined {
	return env[name]?.trim() || undefined;
}

/** Parses the text into the schema's kind of value; undefined where that fails. */
function readText(text: string, { base }: Field): string | number | boolean | undefined {
	if (base instanceof z.ZodBoolean) return readBoolean(text);
	if (base instanceof z.ZodNumber) return readNumber(text);
	return text;
}

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

/** Makes one problem of all broken rules that are about several variables at once. */
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

function renderProblem({ variable, owner, got, expected, because }: ConfigProblem): string {
	return [
		`  ${variable}  (${owner})`,
		`    got       ${got === undefined ? "nothing: it is not set" : shortened(got)}`,
		`    expected  ${expected}`,
		...because.map((reason) => `    because   ${reason}`),
	].join("\n");
}

/**
 * Quotes and cuts what was given, as JSON: a control character would otherwise write to the
 * operator's terminal.
 */
function shortened(got: string): string {
	if (got.length <= GOT_LENGTH_MAX) return JSON.stringify(got);
	return `${JSON.stringify(got.slice(0, GOT_LENGTH_MAX))}… (${got.length} characters)`;
}
