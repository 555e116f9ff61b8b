import { assert } from "#core/fault/assert.ts";
import { type BuyRequest, buyRequest } from "#plugins/nft-buys/buyRequest.ts";
import { buySteps } from "#plugins/nft-buys/buySteps.ts";
import { NFT_BUY } from "#plugins/nft-buys/contract.ts";
import { nftSpendDenial } from "#plugins/nft-buys/nftSpendDenial.ts";
import type { BuyDeps } from "#plugins/nft-buys/plan/BuyDeps.ts";
import { keepsBuy } from "#plugins/nft-buys/plan/keepsBuy.ts";
import { planBuy } from "#plugins/nft-buys/plan/planBuy.ts";
import { shownBuy } from "#plugins/nft-buys/plan/shownBuy.ts";
import { ownershipDenial } from "#plugins/nft-buys/settle/ownershipDenial.ts";
import { paidByLogs } from "#plugins/nft-buys/settle/paidByLogs.ts";
import type { IntentKind } from "#plugins/wallets/contract.ts";

/** Returns the intent kind that buys a token from a listing. */
export function createBuyKind(deps: BuyDeps): IntentKind<BuyRequest> {
	return {
		name: NFT_BUY,
		plugin: "nft-buys",
		request: buyRequest,
		steps: buySteps,
		deny: nftSpendDenial,
		keeps: keepsBuy,
		prepare: ({ request, chainId, channel }, { wallet, outbound, signal }) =>
			planBuy(deps, { request, chainId, channel, wallet, outbound, signal }),
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
