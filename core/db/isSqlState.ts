import { SQLSTATE, type SqlState } from "#core/db/sqlState.ts";

/** Returns whether an error is PostgreSQL's with this code. */
export function isSqlState(error: unknown, state: SqlState): boolean {
	return error instanceof Error && "code" in error && error.code === SQLSTATE[state];
}
