import { commitFault } from "#core/db/createCommits.ts";
import { dbFault } from "#core/db/Database.ts";
import { cancelFault } from "#plugins/wallets/cancel/planCancellation.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { linkFault } from "#plugins/wallets/link/createLinks.ts";
import { onceFault } from "#plugins/wallets/once/createOnce.ts";
import { quotaFault } from "#plugins/wallets/quota.ts";

/**
 * Documents, for OpenAPI, the parameters of routes that use `once`, and how they and a cancel fail.
 */
export const documented = {
	onceParameters: [
		{
			name: "idempotency-key",
			in: "header" as const,
			required: false,
			description:
				"1 to 255 printable ASCII characters of your own. The same key and body is answered with " +
				"the first answer, and moves nothing twice: send it again where no answer came.",
			schema: {
				type: "string" as const,
				minLength: 1,
				maxLength: 255,
				examples: ["order-4711-attempt"],
			},
		},
	],
	onceFailures: [
		onceFault.idempotencyConflict,
		onceFault.requestRunning,
		onceFault.idempotencyKeyInvalid,
		commitFault.commitsWaiting,
		quotaFault.intentQuota,
		onceFault.outcomeUnknown,
		dbFault.databaseUnavailable,
	],
	/** The headers of an answer with intents. */
	onceHeaders: {
		"idempotency-replayed": {
			description:
				"`true` where an earlier request with the same idempotency-key recorded the intents, and " +
				"this one recorded none.",
			schema: { type: "string" as const, enum: ["true"] },
		},
	},
	cancelFailures: [
		executionFault.intentState,
		cancelFault.handingOver,
		cancelFault.notSearched,
		cancelFault.nonceUsed,
		cancelFault.nonceTaken,
		cancelFault.nonceUnknown,
		cancelFault.cancelNotOurs,
		cancelFault.cancelOff,
		cancelFault.cancelFeeLimit,
		cancelFault.cancellationsTooMany,
		linkFault.linksTooMany,
	],
	cancelDescription:
		"What was not sent is called off at once. What was sent, or may have been, is cancelled by its " +
		"nonce: a transaction of nothing to the wallet itself takes its place, at the wallet's cost for " +
		"gas. The intent stays where it is until one of the two is final, and `cancellation` says how " +
		"far that is; `failed` with `cancelled` is the end, or `confirmed` where the payment was faster. " +
		"What your own wallet sent is cancelled by it as well: then nothing is done yet, and `cancelUrl` " +
		"is a one-time link by which it signs that transaction.",
};
