import { DatabaseError } from "pg";
import { brokenConnections } from "#core/db/brokenConnections.ts";
import { dbFault } from "#core/db/faults.ts";
import { SQLSTATE } from "#core/db/sqlState.ts";
import type { Fault } from "#core/fault/Fault.ts";

/**
 * SQLSTATEs with which a server reports its own trouble, not the statement's: connection exceptions
 * (08), resources (53), an operator's action (57: shutdown, recovery, a cancelled statement), the
 * system (58).
 */
const CLASSES = /^(?:08|53|57|58)/;
const CODES: ReadonlySet<string> = new Set([
	SQLSTATE.read_only_sql_transaction,
	SQLSTATE.idle_in_transaction_session_timeout,
	SQLSTATE.serialization_failure,
	SQLSTATE.deadlock_detected,
	SQLSTATE.statement_completion_unknown,
	SQLSTATE.lock_not_available,
]);
/** After these the connection is closed, whatever the reason (3D000, 28P01, 55000 at login, …). */
const ENDING = new Set(["FATAL", "PANIC"]);

/**
 * Returns the Fault for a failure of the database itself, which is temporary and not the caller's
 * mistake; null for every other error, such as an invalid statement.
 */
export function databaseFaultOf(error: unknown): Fault | null {
	if (brokenConnections.has(error)) return dbFault.databaseUnavailable({ cause: error });
	if (!(error instanceof DatabaseError)) return null;
	const { code = "", severity = "" } = error;
	const isItsOwn = CLASSES.test(code) || CODES.has(code) || ENDING.has(severity);
	return isItsOwn ? dbFault.databaseUnavailable({ detail: code, cause: error }) : null;
}
