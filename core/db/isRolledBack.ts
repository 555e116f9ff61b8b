import { DatabaseError } from "pg";

/**
 * Returns true if the server's answer to a COMMIT proves that nothing was committed. An error that
 * ends the connection (a shutdown) may come after a successful commit.
 */
export function isRolledBack(error: unknown): boolean {
	return error instanceof DatabaseError && error.severity === "ERROR";
}
