import { databaseFaultOf } from "#core/db/databaseFaultOf.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { OnceRequest } from "#plugins/wallets/contract.ts";
import { onceFault } from "#plugins/wallets/once/faults.ts";

/**
 * What to throw for a failure of ours behind which something may be recorded: `outcome_unknown`, in
 * the words for who sent a key and who did not. What the caller did wrong, and what is a mistake of
 * ours, stays what it is.
 */
export function unknownOutcome(
	error: unknown,
	{ idempotencyKey }: Pick<OnceRequest, "idempotencyKey">,
): unknown {
	const fault = error instanceof Fault ? error : databaseFaultOf(error);
	if (fault?.status !== 503) return error;
	const details = { detail: fault.code, cause: error };
	return idempotencyKey === null
		? onceFault.outcomeUnknown({ ...details, public: WITHOUT_KEY })
		: onceFault.outcomeUnknown({ ...details, public: WITH_KEY });
}

const WITH_KEY =
	"It is not known whether this was done. Send it again with the same idempotency-key: that " +
	"answers for the same intents, and moves nothing twice.";
const WITHOUT_KEY =
	"It is not known whether this was done, and the request had no idempotency-key. Look at your " +
	"intents before you send it again.";
