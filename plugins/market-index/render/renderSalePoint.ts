import type { MarketEvent } from "#plugins/market-index/render/MarketEvent.ts";
import type { SalePoint } from "#plugins/market-index/schemas/salePointSchema.ts";

/** A sale as a dot of the chart. */
export function renderSalePoint(sale: MarketEvent): SalePoint {
	return {
		tokenId: sale.tokenId,
		imageUrl: sale.imageUrl,
		// Ranks come with token metadata, which the index does not read yet.
		rank: null,
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
