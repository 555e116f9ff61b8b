import { type BuyRequest, buyRequest } from "#plugins/nft-buys/buyRequest.ts";
import { nftSpendDenial } from "#plugins/nft-buys/nftSpendDenial.ts";
import type { Denial, IntentKind } from "#plugins/wallets/contract.ts";

const DENIAL: Denial = {
	code: "provider_offer_requires_local_order_builder",
	detail: "Offers are orders that their maker signs, and none is built here.",
};

/**
 * Returns the intent kind of offers: they are recorded and refused; nothing is called or signed.
 */
export function createOfferKind(): IntentKind<BuyRequest> {
	return {
		name: "nft_offer",
		plugin: "nft-buys",
		request: buyRequest,
		steps: [],
		deny: nftSpendDenial,
		prepare: async () => ({ kind: "denied", denial: DENIAL }),
		settle: async () => DENIAL,
	};
}
