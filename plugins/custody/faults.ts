import { defineFaults, defineReasons } from "#core/fault.ts";

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

/** Codes by which the wallet provider proves that it sent nothing. */
defineReasons({
	http_401: [
		"The wallet provider refused it, and nothing was sent.",
		"Ask an operator: the provider's refusal is in their log. Nothing was sent.",
	],
	http_403: [
		"The wallet provider refused it, and nothing was sent.",
		"Ask an operator: the provider's refusal is in their log. Nothing was sent.",
	],
	http_404: [
		"The wallet provider refused it, and nothing was sent.",
		"Ask an operator: the provider's refusal is in their log. Nothing was sent.",
	],
	incorrect_quantity_of_authorization_signatures: [
		"The wallet provider refused it, and nothing was sent.",
		"Ask an operator: the provider's refusal is in their log. Nothing was sent.",
	],
	insufficient_correct_authorization_signatures: [
		"The wallet provider refused it, and nothing was sent.",
		"Ask an operator: the provider's refusal is in their log. Nothing was sent.",
	],
	insufficient_funds: [
		"The wallet holds too little of the chain's coin.",
		"Send coin of the chain to the wallet, then ask for it again.",
	],
	missing_or_empty_authorization_header: [
		"The wallet provider refused it, and nothing was sent.",
		"Ask an operator: the provider's refusal is in their log. Nothing was sent.",
	],
	no_valid_user_session_keys: [
		"The wallet has given this service no permission.",
		"Sign in again, and allow it anew.",
	],
	policy_violation: [
		"The wallet provider's rules for the wallet forbid it.",
		"Ask for something that the wallet's policy allows.",
	],
	user_session_keys_expired: [
		"The wallet's permission for this service has ended.",
		"Sign in again, and allow it anew.",
	],
	zero_correct_authorization_signatures: [
		"The wallet provider refused it, and nothing was sent.",
		"Ask an operator: the provider's refusal is in their log. Nothing was sent.",
	],
});
