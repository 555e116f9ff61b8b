import type { ConfigSection } from "#core/config/ConfigSection.ts";
import { nearestName } from "#core/config/nearestName.ts";
import type { Environment } from "#core/config/readEnvironment.ts";

/**
 * Warnings about variables that are set, that nobody reads, and that look like one of ours.
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
