import { defineFaults } from "#core/fault/defineFaults.ts";

/** Said before anything is begun: what was to be written is not. */
export const commitFault = defineFaults({
	commitsWaiting: {
		status: 503,
		retry: "later",
		public: "Too much waits to be written down. Nothing was done.",
	},
});
