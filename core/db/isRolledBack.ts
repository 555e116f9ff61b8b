import { DatabaseError } from "pg";

/**
 * True where the server's answer to a COMMIT proves that nothing was committed. One that ends the
 * connection (a server that shuts down) may come behind a commit that was done.
 */
export function isRolledBack(error: unknown): boolean {
	return error instanceof DatabaseError && error.severity === "ERROR";
}
