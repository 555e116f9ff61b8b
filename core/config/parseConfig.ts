import type { z } from "zod";
import type { ConfigSection } from "#core/config/ConfigSection.ts";
import { declarationProblems } from "#core/config/declarationProblems.ts";
import { configFault } from "#core/config/faults.ts";
import { misspelled } from "#core/config/misspelled.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { readSection } from "#core/config/readSection.ts";
import { renderProblems } from "#core/config/renderProblems.ts";
import { assert } from "#core/fault/assert.ts";

/** Every owner's validated values. */
export type Config = {
	/** The values of one of the sections that were parsed. */
	of<Schema extends z.ZodObject>(section: ConfigSection<Schema>): z.output<Schema>;
	/** Sentences for the log: variables that look like misspelled ones of ours. */
	readonly warnings: readonly string[];
};

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
export function parseConfig(sections: readonly ConfigSection[], env: Environment): Config {
	const problems = declarationProblems(sections);
	const valuesByOwner = new Map<string, Record<string, unknown>>();
	for (const section of sections) {
		const read = readSection(section, env);
		problems.push(...read.problems);
		valuesByOwner.set(section.owner, read.values);
	}
	if (problems.length > 0) {
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
