import { defineFaults } from "#core/fault/defineFaults.ts";

/** What can be wrong with a wallet transfer before anything of it is stored. */
export const transfersFault = defineFaults({
	validationError: { status: 422, retry: "never", public: "The request is not valid." },
	walletNotFound: {
		code: "not_found",
		status: 404,
		retry: "never",
		public: "There is no such wallet in your profile.",
	},
	notFound: { status: 404, retry: "never", public: "There is no such transfer of yours." },
	chainUnknown: { status: 500, retry: "never", public: "The chain is not defined any more." },
});
