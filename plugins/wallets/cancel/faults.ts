import { defineFaults } from "#core/fault/defineFaults.ts";

/** Why a transaction that was sent is not cancelled now. Nothing was done then. */
export const cancelFault = defineFaults({
	handingOver: {
		status: 409,
		retry: "later",
		public: "It is being handed over at this moment. Ask again in a few seconds.",
	},
	nonceUsed: {
		status: 409,
		retry: "later",
		public: "Its nonce is used on chain already: what was mined decides, in a moment.",
	},
	nonceTaken: {
		status: 409,
		retry: "later",
		public:
			"It was refused, and another payment of the wallet has its nonce now: it ends once that one " +
			"is mined. To free the nonce, cancel that one.",
	},
	nonceUnknown: {
		status: 409,
		retry: "later",
		public: "No node has shown the transaction yet, so nobody knows which nonce to use.",
	},
	cancelNotOurs: {
		status: 409,
		retry: "never",
		public:
			"The service cannot send for that wallet: only its owner can cancel this, by signing. They get " +
			"a link for that by POST /v1/links with the purpose cancel, or cancel it in the wallet itself.",
	},
	cancelFeeLimit: {
		status: 409,
		retry: "later",
		public:
			"Taking its place costs more than this deployment offers for a transaction, or nobody knows " +
			"what it costs. Cancel it in the wallet itself, or ask again later.",
	},
	cancellationsTooMany: {
		status: 409,
		retry: "never",
		public: "So many cancellations of it were reported already. Cancel it in the wallet itself.",
	},
	cancelOff: {
		status: 409,
		retry: "never",
		public: "This deployment sends nothing, so it cancels nothing on chain.",
	},
});
