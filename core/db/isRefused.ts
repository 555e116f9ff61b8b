import { DatabaseError } from "pg";

/**
 * True for what the server itself answered: it did not do what the statement says, and a commit
 * behind it in the same transaction is none. A connection that broke proves nothing.
 */
export function isRefused(error: unknown): boolean {
	return error instanceof DatabaseError;
}
