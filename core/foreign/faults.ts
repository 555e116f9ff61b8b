import { defineFaults } from "#core/fault/defineFaults.ts";

export const foreignFault = defineFaults({
	refused: {
		code: "foreign_refused",
		status: 422,
		retry: "never",
		public: "That address is not one that this service may reach.",
		advice: "Use a public address on port 80 or 443.",
	},
	unreachable: {
		code: "foreign_unreachable",
		status: 502,
		retry: "later",
		public: "A server that somebody else runs did not answer.",
	},
	tooLarge: {
		code: "foreign_too_large",
		status: 502,
		retry: "never",
		public: "A server that somebody else runs answered more than is read.",
	},
});
