import { defineFaults } from "#core/fault/defineFaults.ts";

/** Why an intent is not even recorded. */
export const quotaFault = defineFaults({
	intentQuota: {
		status: 429,
		retry: "later",
		public:
			"You have asked for too many intents in a short time, or for too many that were refused. " +
			"Nothing was recorded.",
		advice: "Wait as long as `retryAfterMs` says, then send it again: nothing was recorded.",
	},
});
