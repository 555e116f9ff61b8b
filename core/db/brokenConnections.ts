import { DatabaseError } from "pg";
import { AssertionFailed } from "#core/fault/assert.ts";
import { Fault } from "#core/fault/Fault.ts";

/** Errors of our own mistakes on the way to the driver or back. */
const MISTAKES = [TypeError, RangeError, SyntaxError, ReferenceError, AssertionFailed, Fault];

const seen = new WeakSet<Error>();

/**
 * Remembers which errors mean that the server was not reached, or that a connection to it broke.
 *
 * Stored beside the errors, not in them: drivers and sockets have dozens of such errors, without a
 * common class or code, and callers must get the original error.
 */
export const brokenConnections = {
	/** Called with any error of the driver. An answer of the server itself is not noted. */
	note(error: unknown): void {
		if (!(error instanceof Error) || error instanceof DatabaseError) return;
		if (!MISTAKES.some((mistake) => error instanceof mistake)) seen.add(error);
	},
	has: (error: unknown): boolean => error instanceof Error && seen.has(error),
};
