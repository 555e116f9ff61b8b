import { defineFaults } from "#core/fault/defineFaults.ts";

/**
 * Said before the transaction is begun: what was to be written is not. What was done before it (a
 * transaction that was handed over) is another matter, so the sentence claims nothing of it.
 */
export const commitFault = defineFaults({
	commitsWaiting: {
		status: 503,
		retry: "later",
		public: "Too much waits to be written down. Try again in a moment.",
	},
});
