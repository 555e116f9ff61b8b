import { defineFaults } from "#core/fault/defineFaults.ts";

/** What can be wrong with what is asked of an intent. */
export const executionFault = defineFaults({
	notFound: {
		status: 404,
		retry: "never",
		public: "There is no such intent.",
		advice: "Use the id of an intent that the lists show.",
	},
	intentState: {
		status: 409,
		retry: "never",
		public: "The intent does not stand where that is possible.",
		advice: "Read the intent again, and decide by its `status`.",
	},
	planChanged: {
		status: 409,
		retry: "never",
		public: "What would be sent is not what was shown. Look at it again.",
		advice: "Read the link again, and say yes to what it shows now.",
	},
	transactionOther: {
		status: 409,
		retry: "never",
		public: "That transaction belongs to another intent.",
		advice: "Tell the transaction that was sent for this intent.",
	},
	kindUnknown: {
		status: 503,
		retry: "later",
		public: "The plugin that knows what was paid for is not there.",
	},
});
