import { dbFault } from "#core/db/faults.ts";
import { Fault } from "#core/fault/Fault.ts";
import { commitFault } from "#plugins/wallets/commit/faults.ts";
import type { OnceRequest } from "#plugins/wallets/contract.ts";
import { unknownOutcome } from "#plugins/wallets/once/unknownOutcome.ts";

const WAITING = commitFault.commitsWaiting().code;
const LOST = dbFault.outcomeUnknown().code;

/**
 * What to throw where recording intents failed, and whether they may be recorded all the same: only
 * a commit whose answer was lost leaves that in doubt. That nothing was done is said where it is
 * proven: the line was full, and without a key there is no earlier request to mistake this for.
 */
export function recordingFailed(
	error: unknown,
	request: Pick<OnceRequest, "idempotencyKey">,
): { isLost: boolean; failure: unknown } {
	const code = error instanceof Fault ? error.code : null;
	if (code === LOST) return { isLost: true, failure: unknownOutcome(error, request) };
	if (code !== WAITING) return { isLost: false, failure: error };
	const told = request.idempotencyKey === null ? NOTHING_DONE : THIS_DID_NOTHING;
	return { isLost: false, failure: commitFault.commitsWaiting({ public: told, cause: error }) };
}

const NOTHING_DONE = "Too much waits to be written down. Nothing was done.";
const THIS_DID_NOTHING =
	"Too much waits to be written down. This request did nothing: send it again with the same " +
	"idempotency-key.";
