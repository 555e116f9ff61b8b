import { inspect } from "node:util";
import { AssertionFailed } from "#core/fault/assert.ts";

/** The `default` of a switch over a union: a variant nobody handles no longer compiles. */
export function unreachable(variant: never): never {
	// Not JSON: a variant with an amount holds a bigint, and JSON.stringify throws on it.
	throw new AssertionFailed(`unhandled variant: ${inspect(variant, { depth: 1 })}`);
}
