import { defineFaults } from "#core/fault.ts";

/** Faults of a stream before it opens; afterwards `closeCodes` apply. */
export const streamFault = defineFaults({
	queryInvalid: {
		code: "validation_error",
		status: 422,
		retry: "never",
		public: "The query is not valid.",
		advice: "Correct what `issues` names; `after` and `epoch` come from frames.",
	},
	chainUnknown: {
		code: "validation_error",
		status: 422,
		retry: "never",
		public: "This deployment does not index that chain.",
		advice: "Use one of the chains that `issues` names.",
	},
	resumeNeedsChain: {
		code: "validation_error",
		status: 422,
		retry: "never",
		public: "Name one chain to resume: every chain's discover stream has numbers of its own.",
		advice: "Send `chain` together with `after`, and open a stream for each chain.",
	},
});
