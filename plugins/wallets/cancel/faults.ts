import { defineFaults } from "#core/fault/defineFaults.ts";

/** Why a transaction that was sent is not cancelled now. Nothing was done then. */
export const cancelFault = defineFaults({
	handingOver: {
		status: 409,
		retry: "later",
		public: "It is being handed over at this moment. Ask again in a few seconds.",
		advice: "Ask again in a few seconds.",
	},
	nonceUsed: {
		status: 409,
		retry: "later",
		public: "Its nonce is used on chain already: what was mined decides, in a moment.",
		advice: "Read the intent again in a moment: it will say what was mined.",
	},
	nonceTaken: {
		status: 409,
		retry: "later",
		public:
			"It was refused, and another payment of the wallet has its nonce now: it ends once that one " +
			"is mined. To free the nonce, cancel that one.",
		advice: "Cancel the other payment to free the nonce, or wait for it to be mined.",
	},
	nonceUnknown: {
		status: 409,
		retry: "later",
		public: "No node has shown the transaction yet, so nobody knows which nonce to use.",
		advice: "Ask again once a node has shown the transaction.",
	},
	cancelNotOurs: {
		status: 409,
		retry: "never",
		public:
			"The service cannot send for that wallet: only its owner can cancel this, by signing. They get " +
			"a link for that by POST /v1/links with the purpose cancel, or cancel it in the wallet itself.",
		advice: "Ask for a link with `POST /v1/links` and the purpose `cancel`, and sign there.",
	},
	cancelFeeLimit: {
		status: 409,
		retry: "later",
		public:
			"Taking its place costs more than this deployment offers for a transaction, or nobody knows " +
			"what it costs. Cancel it in the wallet itself, or ask again later.",
		advice: "Ask again when fees are lower, or cancel it in the wallet itself.",
	},
	cancellationsTooMany: {
		status: 409,
		retry: "never",
		public: "So many cancellations of it were reported already. Cancel it in the wallet itself.",
		advice: "Cancel it in the wallet itself.",
	},
	cancelOff: {
		status: 409,
		retry: "never",
		public: "This deployment sends nothing, so it cancels nothing on chain.",
		advice: "Cancel it in the wallet itself.",
	},
});
