import { defineFaults } from "#core/fault/defineFaults.ts";

/** What goes wrong with the bridge provider. */
export const relayFault = defineFaults({
	off: {
		code: "bridge_provider_off",
		status: 503,
		retry: "never",
		public: "No bridge provider is configured here.",
	},
	rateLimited: {
		code: "rate_limited",
		status: 429,
		retry: "later",
		public: "The bridge provider is being asked too often.",
		advice: "Wait as long as `retryAfterMs` says.",
	},
	unavailable: {
		code: "bridge_provider_unavailable",
		status: 503,
		retry: "later",
		public: "The bridge provider did not answer.",
	},
	unreadable: {
		code: "bridge_provider_unreadable",
		status: 502,
		retry: "later",
		public: "The bridge provider answered something that cannot be read.",
	},
	refused: {
		code: "bridge_provider_refused",
		status: 502,
		retry: "never",
		public: "The bridge provider refused the request.",
	},
});
