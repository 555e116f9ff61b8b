import type { MarketEvent } from "#plugins/market-index/event/MarketEvent.ts";
import type { SalePoint } from "#plugins/market-index/schemas/salePointSchema.ts";

/**
 * Renders a sale as a dot of the chart.
 *
 * @param rank the token's present rank, as former ranks are not stored; null without one.
 */
export function renderSalePoint(sale: MarketEvent, rank: number | null): SalePoint {
	return {
		tokenId: sale.tokenId,
		imageUrl: sale.imageUrl,
		rank,
		priceNative: sale.priceNative,
		priceUsd: sale.priceUsd,
		traits: sale.traits,
		occurredAt: sale.occurredAt,
		transactionHash: sale.transactionHash,
		venue: sale.venue,
		buyer: sale.to,
		seller: sale.from,
	};
}
