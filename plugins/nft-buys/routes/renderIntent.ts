import { z } from "zod";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";
import { buyRequest } from "#plugins/nft-buys/buyRequest.ts";
import type { IntentView } from "#plugins/nft-buys/routes/intentSchema.ts";
import type { Intent } from "#plugins/wallets/contract.ts";

const NATIVE_DECIMALS = 18;
/** The order that a buy fills: named by its owner, or found by the service. */
const plannedOrder = z.object({ orderHash: z.string() });

/** Renders an intent for its owner; with the link to cancel it, if that was just created. */
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

/**
 * Returns the planned price as the limit of a buy that names only the listing, if it is in the
 * coin.
 */
function plannedLimit({ kind, plan }: Intent): string | null {
	if (kind !== "nft_buy" || plan?.spend.currency !== ZERO_ADDRESS) return null;
	return String(plan.spend.raw);
}
