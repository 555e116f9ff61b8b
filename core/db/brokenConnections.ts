import { DatabaseError } from "pg";
import { AssertionFailed } from "#core/fault/assert.ts";
import { Fault } from "#core/fault/Fault.ts";

/** What a mistake of ours throws on its way to the driver or back from it. */
const MISTAKES = [TypeError, RangeError, SyntaxError, ReferenceError, AssertionFailed, Fault];

const seen = new WeakSet<Error>();

/**
 * Remembers which errors mean that the server was not reached, or that a connection to it broke.
 *
 * Kept beside the errors and not in them: drivers and sockets have dozens of forms of it, without a
 * class or a code in common, and who asked the database must get what it threw as it is.
 */
export const brokenConnections = {
	/** Called with whatever asking the driver threw. What the server itself answered is none. */
	note(error: unknown): void {
		if (!(error instanceof Error) || error instanceof DatabaseError) return;
		if (!MISTAKES.some((mistake) => error instanceof mistake)) seen.add(error);
	},
	has: (error: unknown): boolean => error instanceof Error && seen.has(error),
};
