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
