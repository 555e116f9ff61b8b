import { defineFaults, defineReasons } from "#core/fault.ts";

/** Names what can be wrong with a wallet transfer before anything is stored. */
export const transfersFault = defineFaults({
	validationError: {
		status: 422,
		retry: "never",
		public: "The request is not valid.",
		advice: "Correct what `issues` names, by path; the forms are at `/openapi`.",
	},
	walletNotFound: {
		code: "not_found",
		status: 404,
		retry: "never",
		public: "There is no such wallet in your profile.",
		advice: "Use an id of `wallets` in your profile (`/v1/trading/profile`).",
	},
	notFound: {
		status: 404,
		retry: "never",
		public: "There is no such transfer of yours.",
		advice: "List your transfers with `/v1/trading/wallet-transfers`.",
	},
	currencyUnreadable: {
		status: 422,
		retry: "never",
		public: "The currency's contract does not answer as an ERC-20 token on that chain.",
		advice: "Look at `currency` and `chain` again: the address has to be the token's contract.",
	},
	chainUnavailable: {
		status: 503,
		retry: "later",
		public: "The chain is not served here.",
	},
	chainUnknown: { status: 500, retry: "never", public: "The chain is not defined any more." },
});

/** Lists the reasons of refused transfers; reasons that every intent can have are in `wallets`. */
defineReasons({
	currency_unreadable: [
		"The token does not say what accounts hold.",
		"Send another token instead.",
	],
	token_unsafe: [
		"The token would move another amount than it says.",
		"Do not send this token from here.",
	],
});
