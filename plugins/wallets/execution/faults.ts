import { defineFaults } from "#core/fault/defineFaults.ts";

/** What can be wrong with what is asked of an intent. */
export const executionFault = defineFaults({
	notFound: { status: 404, retry: "never", public: "There is no such intent." },
	validationError: { status: 422, retry: "never", public: "The request is not valid." },
	intentState: {
		status: 409,
		retry: "never",
		public: "The intent does not stand where that is possible.",
	},
	planChanged: {
		status: 409,
		retry: "never",
		public: "What would be sent is not what was shown. Look at it again.",
	},
	transactionOther: {
		status: 409,
		retry: "never",
		public: "That transaction belongs to another intent.",
	},
});
