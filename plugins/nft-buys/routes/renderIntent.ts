import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";
import { buyRequest } from "#plugins/nft-buys/buyRequest.ts";
import type { IntentView } from "#plugins/nft-buys/routes/intentSchema.ts";
import type { Intent } from "#plugins/wallets/contract.ts";

const NATIVE_DECIMALS = 18;

/** An intent as its owner sees it. */
export function renderIntent(intent: Intent, chains: ChainRegistry): IntentView {
	const { contract, tokenId, quantity, priceLimitRaw, orderHash } = buyRequest.parse(
		intent.request,
	);
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
		orderHash,
		walletId: intent.walletId,
		plan: intent.plan && { ...intent.plan.shown },
		planHash: intent.planHash,
		transactionHash: intent.transactionHash,
		createdAt: isoTime(intent.createdAtMs),
		changedAt: isoTime(intent.changedAtMs),
		expiresAt: isoTime(intent.expiresAtMs),
	};
}
