import { defineFaults } from "#core/fault.ts";

/** Faults of calls to the marketplace provider; its "not found" is null and no fault. */
export const providerFault = defineFaults({
	off: {
		code: "provider_off",
		status: 503,
		retry: "never",
		public: "No marketplace provider is configured here.",
	},
	rateLimited: {
		code: "rate_limited",
		status: 429,
		retry: "later",
		public: "The marketplace provider is being asked too often.",
		advice:
			"Wait as long as `retryAfterMs` says; what is stored here is answered meanwhile " +
			"where there is any.",
	},
	unavailable: {
		code: "provider_unavailable",
		status: 503,
		retry: "later",
		public: "The marketplace provider did not answer.",
	},
	unreadable: {
		code: "provider_unreadable",
		status: 502,
		retry: "later",
		public: "The marketplace provider answered something that cannot be read.",
	},
	refused: {
		code: "provider_refused",
		status: 502,
		retry: "never",
		public: "The marketplace provider refused the request.",
	},
});
