import { UNITS_BOUND } from "#core/money/limits.ts";
import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";
import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";
import type { SyncedCollection } from "#plugins/market-index/pace/SyncContext.ts";
import { storableJson } from "#plugins/market-index/payload/storableJson.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderOrder } from "#plugins/provider/contract.ts";

/**
 * Returns a provider's order as a row of the collection's book. Null for orders that do not belong
 * there: those of another chain or contract with the same slug, those of no units, and expired
 * ones, which the provider may still call active and which would be retired and added again each
 * minute.
 */
export function orderRowOf(
	order: ProviderOrder,
	collection: SyncedCollection,
	{ prices, nowMs }: { prices: Pick<Prices, "toNative" | "nativeOfSymbol">; nowMs: number },
): OrderRow | null {
	const { quantity, totalRaw, tokenId } = order;
	if (order.chainId !== collection.chainId) return null;
	if (order.contract !== null && order.contract !== collection.address) return null;
	if (quantity <= 0n || quantity >= UNITS_BOUND || totalRaw < 0n || totalRaw >= UNITS_BOUND) {
		return null;
	}
	if (tokenId !== null && (tokenId < 0n || tokenId >= UNITS_BOUND)) return null;
	if (order.expiresAtMs !== null && order.expiresAtMs <= nowMs) return null;
	// A listing must name a token and a price.
	if (order.kind === "listing" && (tokenId === null || totalRaw === 0n)) return null;
	const unitRaw = totalRaw / quantity;
	const unitNative = nativeOf(order, unitRaw, { prices, nowMs });
	return {
		orderHash: order.orderHash,
		kind: order.kind,
		tokenId: tokenId === null ? null : tokenId.toString(),
		maker: order.maker,
		quantity: quantity.toString(),
		currency: order.currency,
		symbol: order.symbol,
		decimals: order.decimals,
		totalRaw: totalRaw.toString(),
		unitNative: unitNative === null ? null : unitNative.toString(),
		unitPrice: toDisplayNumber(unitRaw, order.decimals),
		protocolAddress: order.protocolAddress,
		criteria: order.criteria,
		isPrivate: order.isPrivate,
		startsAt: order.startsAtMs === null ? null : new Date(order.startsAtMs),
		expiresAt: order.expiresAtMs === null ? null : new Date(order.expiresAtMs),
		protocolData: storableJson(order.protocolData),
	};
}

/**
 * Values an order by its currency's address; by the symbol only where the provider named no
 * address.
 */
function nativeOf(
	{ chainId, currency, symbol, decimals }: ProviderOrder,
	unitRaw: bigint,
	{ prices, nowMs }: { prices: Pick<Prices, "toNative" | "nativeOfSymbol">; nowMs: number },
): bigint | null {
	if (currency !== null) return prices.toNative({ chainId, currency }, unitRaw, nowMs);
	return prices.nativeOfSymbol(chainId, symbol, toDisplayNumber(unitRaw, decimals), nowMs);
}
