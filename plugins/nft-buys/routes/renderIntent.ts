import { z } from "zod";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";
import { buyRequest } from "#plugins/nft-buys/buyRequest.ts";
import type { IntentView } from "#plugins/nft-buys/routes/intentSchema.ts";
import type { Intent } from "#plugins/wallets/contract.ts";

const NATIVE_DECIMALS = 18;
/** What a buy fills: named by its owner, or else found for them. */
const plannedOrder = z.object({ orderHash: z.string() });

/** An intent as its owner sees it; with the link to cancel it by, where that was just made. */
export function renderIntent(
	intent: Intent,
	chains: ChainRegistry,
	{ cancelUrl = null }: { cancelUrl?: string | null } = {},
): IntentView {
	const request = buyRequest.parse(intent.request);
	const { contract, tokenId, quantity } = request;
	const priceLimitRaw = request.priceLimitRaw ?? plannedLimit(intent);
	const { data: planned } = plannedOrder.safeParse(intent.plan?.shown);
	const chain = chains.byId(intent.chainId);
	const decimals = chain?.nativeCurrency.decimals ?? NATIVE_DECIMALS;
	const isoTime = (ms: number) => new Date(ms).toISOString();
	return {
		id: intent.id,
		kind: intent.kind === "nft_buy" ? "buy" : "offer",
		status: intent.status,
		errorCode: intent.errorCode,
		chain: chain?.slug ?? String(intent.chainId),
		contract,
		tokenId,
		quantity,
		priceLimit: priceLimitRaw === null ? null : toDisplayNumber(BigInt(priceLimitRaw), decimals),
		priceLimitRaw,
		orderHash: request.orderHash ?? planned?.orderHash ?? null,
		walletId: intent.walletId,
		plan: intent.plan && { ...intent.plan.shown },
		planHash: intent.planHash,
		transactionHash: intent.transactionHash,
		cancellation: intent.cancellation,
		cancelUrl,
		createdAt: isoTime(intent.createdAtMs),
		changedAt: isoTime(intent.changedAtMs),
		expiresAt: isoTime(intent.expiresAtMs),
	};
}

/** Who named the listing alone is held to its price, where that is in the chain's coin. */
function plannedLimit({ kind, plan }: Intent): string | null {
	if (kind !== "nft_buy" || plan?.spend.currency !== ZERO_ADDRESS) return null;
	return String(plan.spend.raw);
}
