import type { Check } from "#test/e2e/oracle/differences.ts";

/** Accepts any value of a member, with the reason why it is no figure. */
export function notAFigure(_why: string): Check {
	return (actual) => (actual === undefined ? "the member is missing" : undefined);
}
