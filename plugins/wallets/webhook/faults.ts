import { defineFaults } from "#core/fault/defineFaults.ts";

/** Why a webhook is turned away. None says more than its sender knows already. */
export const webhookFault = defineFaults({
	webhookHeaders: {
		status: 400,
		retry: "never",
		public: "svix-id, svix-timestamp and svix-signature are needed, each in its form.",
	},
	webhookTime: {
		status: 401,
		retry: "never",
		public: "The webhook's time is more than five minutes from ours.",
	},
	webhookSignature: {
		status: 401,
		retry: "never",
		public: "No signature of the webhook is right.",
	},
	webhookTooLarge: { status: 413, retry: "never", public: "The webhook is larger than 64 KiB." },
	webhookEvent: { status: 422, retry: "never", public: "The webhook is no event." },
});
