/** Names of the outbound calls that only a buy makes; the execution path has its own list. */
export const buySteps = [
	"nft_buy.collection",
	"nft_buy.listing",
	"nft_buy.order_state",
	"nft_buy.fulfilment",
	"nft_buy.funds",
	"nft_buy.ownership",
] as const;

export type BuyStep = (typeof buySteps)[number];
