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
	idempotencyKeyInvalid: {
		status: 422,
		retry: "never",
		public: "An idempotency key is 1 to 255 printable ASCII characters.",
	},
});
