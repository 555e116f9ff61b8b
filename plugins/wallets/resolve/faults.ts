import { defineFaults } from "#core/fault/defineFaults.ts";

/** Why the chain does not prove what is said of an intent. Nothing is changed then. */
export const resolveFault = defineFaults({
	intentState: {
		status: 409,
		retry: "never",
		public:
			"The intent is neither uncertain nor submitted, nor does it wait for a review: there is " +
			"nothing to resolve.",
		advice: "Read the list of waiting intents again.",
	},
	evidenceMissing: {
		status: 409,
		retry: "never",
		public: "No node here knows that transaction.",
		advice: "Check the hash and the chain, or wait until a node here has the transaction.",
	},
	evidenceOther: {
		status: 409,
		retry: "never",
		public: "That transaction is not the one that was planned, and did not use its nonce.",
		advice: "Name the transaction that used the intent's nonce.",
	},
	evidenceShallow: {
		status: 409,
		retry: "later",
		public: "What used the nonce is not mined deep enough yet. Ask again later.",
		advice: "Ask again after some blocks.",
	},
	nonceFree: {
		status: 409,
		retry: "never",
		public:
			"The nonce is still free, so whoever has the transaction can still send it. Have the " +
			"account use the nonce for something else first.",
		advice:
			"Have the account use that nonce for something else, or call the intent off with " +
			"`callOff`.",
	},
	nonceUnknown: {
		status: 409,
		retry: "never",
		public: "The node cannot say which transaction used the nonce, if any did. Name its hash.",
		advice: "Name the hash of the transaction that used the nonce.",
	},
	nothingNew: {
		status: 409,
		retry: "never",
		public: "The transaction is on its way, and the intent says so already.",
		advice: "Wait: the intent follows its transaction by itself.",
	},
});
