import { defineFaults } from "#core/fault/defineFaults.ts";

/**
 * Thrown before the transaction begins: nothing of it is written. Effects before it (a transaction
 * that was sent to the chain) may exist, so the sentence says nothing about them.
 */
export const commitFault = defineFaults({
	commitsWaiting: {
		status: 503,
		retry: "later",
		public: "Too much waits to be written down. Try again in a moment.",
	},
});
