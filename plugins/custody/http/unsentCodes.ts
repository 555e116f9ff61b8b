/**
 * Codes which prove, with 400 and 422, that nothing was sent: they are given before anything is
 * broadcast, or (funds) by a node that did not take it. `transaction_broadcast_failure` is not
 * among them: one node's failure is not every node's. Neither is a 400 without a code: a used
 * idempotency key, a reference that exists and a request past its expiry have none that anybody
 * wrote down.
 */
export const UNSENT_CODES: ReadonlySet<string> = new Set([
	"policy_violation",
	"insufficient_funds",
	"missing_or_empty_authorization_header",
	"zero_correct_authorization_signatures",
	"insufficient_correct_authorization_signatures",
	"incorrect_quantity_of_authorization_signatures",
	"no_valid_user_session_keys",
	"user_session_keys_expired",
]);
