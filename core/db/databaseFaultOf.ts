import { DatabaseError } from "pg";
import { brokenConnections } from "#core/db/brokenConnections.ts";
import { dbFault } from "#core/db/faults.ts";
import type { Fault } from "#core/fault/Fault.ts";

/**
 * SQLSTATEs by which a server says that it, and not the statement, is in trouble: connection
 * exceptions (08), resources (53), an operator's doing (57: shutdown, recovery, a cancelled
 * statement), the system (58).
 */
const CLASSES = /^(?:08|53|57|58)/;
const CODES = new Set([
	"25006", // read-only: a standby, or one that was set so
	"25P03", // the transaction waited for us for too long
	"40001", // serialisation failure
	"40P01", // deadlock
	"40003", // statement completion unknown
	"55P03", // a lock was not had in time
]);
/** Of these the connection is gone, whatever the reason (3D000, 28P01, 55000 at login, …). */
const ENDING = new Set(["FATAL", "PANIC"]);

/**
 * The Fault for a failure of the database itself, which passes and is no mistake of the caller's;
 * null for every other error, a statement that is wrong in itself among them.
 */
export function databaseFaultOf(error: unknown): Fault | null {
	if (brokenConnections.has(error)) return dbFault.databaseUnavailable({ cause: error });
	if (!(error instanceof DatabaseError)) return null;
	const { code = "", severity = "" } = error;
	const isItsOwn = CLASSES.test(code) || CODES.has(code) || ENDING.has(severity);
	return isItsOwn ? dbFault.databaseUnavailable({ detail: code, cause: error }) : null;
}
