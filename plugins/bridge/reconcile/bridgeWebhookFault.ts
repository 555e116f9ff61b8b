import { defineFaults } from "#core/fault/defineFaults.ts";

/** Why a webhook of the bridge provider is turned away. None says more than its sender knows. */
export const bridgeWebhookFault = defineFaults({
	webhookHeaders: {
		code: "bridge_webhook_headers",
		status: 400,
		retry: "never",
		public: "x-signature-timestamp and x-signature-sha256 are needed, each in its form.",
		advice: "Send milliseconds, and 64 hex digits.",
	},
	webhookTime: {
		code: "bridge_webhook_time",
		status: 401,
		retry: "never",
		public: "The webhook's time is more than five minutes from ours.",
		advice: "Set the sender's clock, and deliver again.",
	},
	webhookSignature: {
		code: "bridge_webhook_signature",
		status: 401,
		retry: "never",
		public: "The webhook's signature is not right.",
		advice: "Sign `<timestamp>.<raw body>` with the key that is in BRIDGE_API_KEY here.",
	},
	webhookTooLarge: {
		code: "bridge_webhook_too_large",
		status: 413,
		retry: "never",
		public: "The webhook is larger than 64 KiB.",
		advice: "Deliver fewer than 65,536 bytes.",
	},
	webhookEvent: {
		code: "bridge_webhook_event",
		status: 422,
		retry: "never",
		public: "The webhook is no event.",
		advice: "Deliver one JSON event with `event` and `timestamp`.",
	},
});
