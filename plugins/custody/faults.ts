import { defineFaults } from "#core/fault.ts";

/**
 * Names what goes wrong with the wallet provider. Details hold a status and a code, never its text.
 */
export const custodyFault = defineFaults({
	off: {
		code: "wallet_provider_off",
		status: 503,
		retry: "never",
		public: "No wallet provider is configured here.",
	},
	misconfigured: {
		code: "wallet_provider_misconfigured",
		status: 500,
		retry: "never",
		public: "The wallet provider's configuration is incomplete.",
	},
	rateLimited: {
		code: "rate_limited",
		status: 429,
		retry: "later",
		public: "The wallet provider is being asked too often.",
		advice: "Wait as long as `retryAfterMs` says, then send it again.",
	},
	unavailable: {
		code: "wallet_provider_unavailable",
		status: 503,
		retry: "later",
		public: "The wallet provider did not answer.",
	},
	unreadable: {
		code: "wallet_provider_unreadable",
		status: 502,
		retry: "later",
		public: "The wallet provider answered something that cannot be read.",
	},
	refused: {
		code: "wallet_provider_refused",
		status: 502,
		retry: "never",
		public: "The wallet provider refused the request.",
	},
});
