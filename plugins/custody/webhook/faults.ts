import { defineFaults } from "#core/fault/defineFaults.ts";

/** Why a webhook is turned away. None says more than its sender knows already. */
export const webhookFault = defineFaults({
	webhookHeaders: {
		status: 400,
		retry: "never",
		public: "svix-id, svix-timestamp and svix-signature are needed, each in its form.",
		advice: "Deliver with the three headers of Svix.",
	},
	webhookTime: {
		status: 401,
		retry: "never",
		public: "The webhook's time is more than five minutes from ours.",
		advice: "Set the sender's clock, and deliver again.",
	},
	webhookSignature: {
		status: 401,
		retry: "never",
		public: "No signature of the webhook is right.",
		advice: "Sign with the secret that is in WALLET_PROVIDER_WEBHOOK_SECRET here.",
	},
	webhookTooLarge: {
		status: 413,
		retry: "never",
		public: "The webhook is larger than 64 KiB.",
		advice: "Deliver fewer than 65,536 bytes.",
	},
	webhookEvent: {
		status: 422,
		retry: "never",
		public: "The webhook is no event.",
		advice: "Deliver one JSON event with its `type`.",
	},
});
