import { defineFaults } from "#core/fault.ts";

/** Faults of requests to the registry. */
export const registryFault = defineFaults({
	notFound: {
		status: 404,
		retry: "never",
		public: "The registry has no such token.",
		advice:
			"List its tokens with `/v1/stock-tokens`, as an operator with `/v1/admin/stock-tokens`.",
	},
	profileNotFound: {
		code: "not_found",
		status: 404,
		retry: "never",
		public: "Nothing is recorded of that profile.",
		advice: "Record where they live with `PUT` at the same address.",
	},
	assetNotListed: {
		status: 409,
		retry: "never",
		public: "The issuer's list does not have this token: it cannot be approved.",
		advice: "Refuse it, or wait until the issuer lists it again.",
	},
	assetFlawed: {
		status: 409,
		retry: "later",
		public: "The last check on chain found something wrong with this token.",
		advice: "Read `flaws` of the token; a check that finds none makes it approvable.",
	},
	assetState: {
		status: 409,
		retry: "never",
		public: "There is nothing to decide about this token.",
		advice: "Only a token that left the list, or was rejected, can be approved.",
	},
	symbolTaken: {
		status: 409,
		retry: "never",
		public: "Another token that may be traded has this ticker, or one that looks like it.",
		advice: "Refuse the other token first.",
	},
	feedUnreadable: {
		status: 409,
		retry: "later",
		public: "There is no price feed at this address, or its newest answer cannot be a price.",
		advice: "Name an aggregator with Chainlink's interface on the chain of the token.",
	},
	chainUnavailable: {
		status: 503,
		retry: "later",
		public: "The chain of the stock tokens is not served here, or does not answer.",
	},
});
