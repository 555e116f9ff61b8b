import { databaseFaultOf } from "#core/db/databaseFaultOf.ts";
import { dbFault } from "#core/db/faults.ts";

/**
 * Reads what was committed a moment ago, for an answer. Where the database goes away in between,
 * this throws `outcome_unknown`: "try again" would be wrong advice for what is done already.
 */
export async function readBack<Result>(read: () => Promise<Result>): Promise<Result> {
	try {
		return await read();
	} catch (error) {
		throw databaseFaultOf(error) ? dbFault.outcomeUnknown({ cause: error }) : error;
	}
}
