import { defineFaults } from "#core/fault/defineFaults.ts";

/** What can be wrong with an idempotency key. */
export const onceFault = defineFaults({
	idempotencyConflict: {
		status: 409,
		retry: "never",
		public: "That idempotency key was used for another request.",
		advice: "Take a new key for a new request; to repeat the old one, send its very body.",
	},
	requestRunning: {
		status: 409,
		retry: "later",
		public: "The request with that idempotency key is still under way.",
		advice: "Ask again with the same key after `Retry-After`.",
	},
	/** Said where an intent may be recorded, and the caller does not learn what became of it. */
	outcomeUnknown: {
		status: 503,
		retry: "later",
		public:
			"It is not known whether this was done. Send it again with the same idempotency-key, which " +
			"moves nothing twice; without one, look at your intents first.",
		advice:
			"Send it again with the same `idempotency-key`, which moves nothing twice; without " +
			"one, look at your intents first.",
	},
	idempotencyKeyInvalid: {
		status: 422,
		retry: "never",
		public: "An idempotency key is 1 to 255 printable ASCII characters.",
		advice: "Use 1 to 255 printable ASCII characters, such as a UUID.",
	},
});
