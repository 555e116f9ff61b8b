import { AssertionFailed } from "#core/fault/assert.ts";

/** The `default` of a switch over a union: a variant nobody handles no longer compiles. */
export function unreachable(variant: never): never {
	throw new AssertionFailed(`unhandled variant: ${JSON.stringify(variant)}`);
}
