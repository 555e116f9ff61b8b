import { z } from "zod";
import type { ConfigProblem } from "#core/config/ConfigProblem.ts";
import type { ConfigSection } from "#core/config/ConfigSection.ts";
import { fieldOf } from "#core/config/fieldOf.ts";

/**
 * What is wrong with the declarations themselves, whatever the environment holds: a third party's
 * plugin may claim a variable that somebody else reads differently.
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

function declarationFault(name: string, schema: z.core.$ZodType): string | undefined {
	if (!/^[A-Z][A-Z0-9_]*$/.test(name)) return "a name of capital letters, digits and _";
	const { base, description } = fieldOf(schema);
	if (!description) return "a .describe() that says what it is for";
	const structured =
		base instanceof z.ZodArray || base instanceof z.ZodObject || base instanceof z.ZodRecord;
	return structured ? "commaList or jsonText: a variable is text" : undefined;
}
