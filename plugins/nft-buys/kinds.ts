// Offers buys and offers to the execution path.

import { assert } from "#core/fault.ts";
import { type BuyRequest, buyRequest, nftSpendDenial } from "#plugins/nft-buys/buyRequest.ts";
import { NFT_BUY } from "#plugins/nft-buys/contract.ts";
import { buySteps } from "#plugins/nft-buys/limits.ts";
import { type BuyDeps, planBuy } from "#plugins/nft-buys/plan/planBuy.ts";
import { keepsBuy, shownBuy } from "#plugins/nft-buys/plan/shownBuy.ts";
import { ownershipDenial, paidByLogs } from "#plugins/nft-buys/settle.ts";
import type { Denial, IntentKind } from "#plugins/wallets/contract.ts";

/** Why every offer is refused. */
const OFFER_REFUSED: Denial = {
	code: "provider_offer_requires_local_order_builder",
	detail: "Offers are orders that their maker signs, and none is built here.",
};

/** Returns the intent kind that buys a token from a listing. */
export function createBuyKind(deps: BuyDeps): IntentKind<BuyRequest> {
	return {
		name: NFT_BUY,
		plugin: "nft-buys",
		request: buyRequest,
		steps: buySteps,
		deny: nftSpendDenial,
		keeps: keepsBuy,
		async prepare({ request, chainId, channel }, { wallet, outbound, signal }) {
			const prepared = await planBuy(deps, { request, chainId, channel, wallet, outbound, signal });
			if (prepared.kind !== "plan" || request.tipRaw === undefined) return prepared;
			return { ...prepared, plan: { ...prepared.plan, tipRaw: BigInt(request.tipRaw) } };
		},
		async settle(intent, receipt, { wallet, outbound, signal }) {
			const rpc = deps.rpcOf(intent.chainId);
			assert(rpc && intent.plan, "a receipt is of a plan on a chain that is served");
			const goods = shownBuy.read(intent.plan.shown);
			const asked = { goods, wallet: wallet.address, receipt, signal };
			const missing = await outbound("nft_buy.ownership", () => ownershipDenial(rpc, asked));
			// If others filled part of the order meanwhile, less is left, and less is paid.
			const spentRaw = paidByLogs(receipt.logs, goods);
			if (spentRaw === null) return missing;
			return missing ? { ...missing, spentRaw } : { spentRaw };
		},
	};
}

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
		prepare: async () => ({ kind: "denied", denial: OFFER_REFUSED }),
		settle: async () => OFFER_REFUSED,
	};
}
