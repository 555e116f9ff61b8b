import { defineFaults } from "#core/fault.ts";

/** Reasons why the agent does not do what it was asked. All of them appear in replies. */
export const agentFault = defineFaults({
	toolsInvalid: {
		status: 500,
		retry: "never",
		public: "The tools and commands of the plugins do not fit together.",
	},
	executionNotAllowed: {
		status: 403,
		retry: "never",
		public: "That only works as a strict command which you type yourself, signed in.",
		advice: "Sign in and send the command exactly as `help` prints it.",
	},
	signInNeeded: {
		code: "unauthorized",
		status: 401,
		retry: "never",
		public: "That needs you to be signed in. Market questions and help do not.",
		advice:
			"Sign in by `/v1/trading/siwe/nonce` and `/v1/trading/siwe/verify`, or by " +
			"`/v1/trading/enrollment`, and send the answer's `token` as `Authorization: Bearer`.",
	},
	inputInvalid: {
		status: 422,
		retry: "never",
		public: "The command's values do not fit.",
		advice: "Read the issue in the reply, and send the command with another value.",
	},
	toolFailed: {
		status: 500,
		retry: "later",
		public: "Something went wrong on our side. Nothing is shown, rather than half of it.",
	},
	toolTimeout: {
		status: 503,
		retry: "later",
		public: "That took too long and was given up. Ask again in a moment.",
	},
	toolOutcomeUnknown: {
		status: 503,
		retry: "later",
		public:
			"It is not known whether this was done. Look at your intents before you ask for it again.",
		advice:
			"Read your intents first. With the same `idempotency-key` the same text does nothing twice.",
	},
	modelFailed: {
		status: 503,
		retry: "later",
		public: "The language model gave no usable answer.",
	},
	askFailed: {
		status: 503,
		retry: "later",
		public: "The service did not answer.",
	},
	usage: { status: 400, retry: "never", public: "The command was not understood." },
});
