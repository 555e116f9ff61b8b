import { databaseFaultOf } from "#core/db/databaseFaultOf.ts";
import { dbFault } from "#core/db/faults.ts";

/**
 * Reads data that was just committed, for an answer. If the database fails in between, this throws
 * `outcome_unknown`: "try again" would be wrong advice, because the work is done.
 */
export async function readBack<Result>(read: () => Promise<Result>): Promise<Result> {
	try {
		return await read();
	} catch (error) {
		throw databaseFaultOf(error) ? dbFault.outcomeUnknown({ cause: error }) : error;
	}
}
