import type { Check } from "#test/e2e/oracle/differences.ts";

/** Lets a member be whatever it is, with the reason why it is no figure. */
export function notAFigure(_why: string): Check {
	return (actual) => (actual === undefined ? "the member is missing" : undefined);
}
