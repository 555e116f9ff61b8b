import { defineFaults } from "#core/fault/defineFaults.ts";

/** What can be wrong with an idempotency key. */
export const onceFault = defineFaults({
	idempotencyConflict: {
		status: 409,
		retry: "never",
		public: "That idempotency key was used for another request.",
	},
	requestRunning: {
		status: 409,
		retry: "later",
		public: "The request with that idempotency key is still under way.",
	},
	/** Said where an intent may be recorded, and the caller does not learn what became of it. */
	outcomeUnknown: {
		status: 503,
		retry: "later",
		public:
			"It is not known whether this was done. Send it again with the same idempotency-key, which " +
			"moves nothing twice; without one, look at your intents first.",
	},
	idempotencyKeyInvalid: {
		status: 422,
		retry: "never",
		public: "An idempotency key is 1 to 255 printable ASCII characters.",
	},
});
