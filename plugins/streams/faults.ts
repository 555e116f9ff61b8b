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
	ticketMissing: {
		status: 401,
		retry: "never",
		public: "This stream begins with a ticket, and none came.",
		advice:
			'Sign in and POST /v1/intents/stream-tickets, and send {"type":"ticket","ticket":"…"} within ' +
			"ten seconds as the first message; or open it with your session.",
	},
	ticketUnknown: {
		status: 401,
		retry: "never",
		public: "There is no such ticket.",
		advice: "POST /v1/intents/stream-tickets for a new one.",
	},
	ticketUsed: {
		status: 401,
		retry: "never",
		public: "The ticket was used before.",
		advice: "POST /v1/intents/stream-tickets for each stream: a ticket opens one.",
	},
	ticketExpired: {
		status: 401,
		retry: "never",
		public: "The ticket came too late.",
		advice: "POST /v1/intents/stream-tickets for a new one, and use it within a minute.",
	},
	resumeNeedsChain: {
		code: "validation_error",
		status: 422,
		retry: "never",
		public: "Name one chain to resume: every chain's discover stream has numbers of its own.",
		advice: "Send `chain` together with `after`, and open a stream for each chain.",
	},
});
