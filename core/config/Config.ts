// Describes what is configured: each owner's variables, their values, and what is wrong with them.

import type { z } from "zod";

/**
 * One owner's configuration. The schema's keys are names of environment variables, each with a
 * `.describe()`.
 *
 * `z.int()`, `z.number()` and `z.boolean()` read the variable's text by themselves; lists and JSON
 * have `commaList` and `jsonText`. `.meta({ expects: "…" })` says in human words what a pattern
 * wants, `.meta({ secret: true })` hides a value whose name does not say that it is one.
 */
export type ConfigSection<Schema extends z.ZodObject = z.ZodObject> = {
	readonly owner: string;
	readonly schema: Schema;
};

/** Every owner's validated values. */
export type Config = {
	/** The values of one of the sections that were parsed. */
	of<Schema extends z.ZodObject>(section: ConfigSection<Schema>): z.output<Schema>;
	/** Sentences for the log: variables that look like misspelled ones of ours. */
	readonly warnings: readonly string[];
};

/** One thing an operator has to correct before the service starts. */
export type ConfigProblem = {
	variable: string;
	owner: string;
	/** The value as it may be shown; undefined where the variable is not set. */
	got: string | undefined;
	/** What the variable takes, in human words. */
	expected: string;
	/** What exactly is wrong, where `expected` does not say it already. */
	because: readonly string[];
};
