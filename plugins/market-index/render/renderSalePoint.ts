import type { MarketEvent } from "#plugins/market-index/event/MarketEvent.ts";
import type { SalePoint } from "#plugins/market-index/schemas/salePointSchema.ts";

/**
 * A sale as a dot of the chart.
 *
 * @param rank the token's now, as nobody wrote down what it was then; null where it has none.
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
