import { defineFaults } from "#core/fault/defineFaults.ts";

/** What can be wrong with a stream before it opens; afterwards `closeCodes` tell. */
export const streamFault = defineFaults({
	queryInvalid: {
		code: "validation_error",
		status: 422,
		retry: "never",
		public: "The query is not valid.",
	},
	chainUnknown: {
		code: "validation_error",
		status: 422,
		retry: "never",
		public: "This deployment does not index that chain.",
	},
	resumeNeedsChain: {
		code: "validation_error",
		status: 422,
		retry: "never",
		public: "Name one chain to resume: every chain's discover stream has numbers of its own.",
	},
});
