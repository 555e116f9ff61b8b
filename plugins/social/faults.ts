import { defineFaults } from "#core/fault.ts";

/** Reasons why a delivery, or an operator's question about X, is not answered. */
export const socialFault = defineFaults({
	credentialMissing: {
		code: "social_credential_missing",
		status: 503,
		retry: "never",
		public: "A credential of X that this needs is not set.",
		advice: "Set the variable that the answer names, and start the service again.",
	},
	webhookSignature: {
		code: "social_webhook_signature",
		status: 401,
		retry: "never",
		public: "The signature of the delivery is missing or wrong.",
		advice: "Sign the raw body with SOCIAL_WEBHOOK_SECRET, or SOCIAL_API_SECRET where it is unset.",
	},
	webhookEvent: {
		code: "social_webhook_event",
		status: 422,
		retry: "never",
		public: "The delivery is no activity event.",
		advice: "Deliver one JSON object of X's activity.",
	},
	limited: {
		code: "rate_limited",
		status: 429,
		retry: "later",
		public: "X takes no more calls for now.",
	},
	refused: {
		code: "social_refused",
		status: 502,
		retry: "never",
		public: "X refused the call.",
		advice: "Look at the log for X's own words, and at the app's permissions there.",
	},
	unavailable: {
		code: "social_unavailable",
		status: 503,
		retry: "later",
		public: "X gave no usable answer.",
	},
	tokenRefused: {
		code: "social_token_refused",
		status: 503,
		retry: "never",
		public: "X does not take the refresh token any more.",
		advice: "Authorise the bot's account again, and set SOCIAL_USER_REFRESH_TOKEN anew.",
	},
	subscriptionMissing: {
		code: "social_webhook_missing",
		status: 503,
		retry: "never",
		public: "SOCIAL_WEBHOOK_ID is not set, so there is nothing to subscribe.",
		advice: "Register the webhook with X, and set the id that X gave it.",
	},
});
