import { DatabaseError } from "pg";

/**
 * Returns true for an answer of the server itself: the statement was not executed, and a commit
 * after it in the same transaction failed. A broken connection proves nothing.
 */
export function isRefused(error: unknown): boolean {
	return error instanceof DatabaseError;
}
