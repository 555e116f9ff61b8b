import type { Queryable } from "#core/db/Database.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { displayNative } from "#plugins/market-index/display/displayNative.ts";
import { displayUsd } from "#plugins/market-index/display/displayUsd.ts";
import type { ProviderHealth } from "#plugins/market-index/display/ProviderHealth.ts";
import { isStandIn } from "#plugins/market-index/event/isStandIn.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { readChainSpans } from "#plugins/market-index/figures/readChainSpans.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { mintPriceWei } from "#plugins/market-index/read/mintPriceWei.ts";
import { readCoverageEnd } from "#plugins/market-index/read/readCoverageEnd.ts";
import { resolveChain } from "#plugins/market-index/read/resolveChain.ts";
import { renderCollection } from "#plugins/market-index/render/renderCollection.ts";
import { renderFigures } from "#plugins/market-index/render/renderFigures.ts";
import { renderMint } from "#plugins/market-index/render/renderMint.ts";
import { renderProviderStats } from "#plugins/market-index/render/renderProviderStats.ts";
import type { CollectionDetail } from "#plugins/market-index/schemas/collectionDetailSchema.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { readCollection } from "#plugins/market-index/sql/readCollection.ts";
import { readProviderStats } from "#plugins/market-index/sql/readProviderStats.ts";
import { readSaleImage } from "#plugins/market-index/sql/readSaleImage.ts";
import type { Prices } from "#plugins/prices/contract.ts";

type DetailContext = {
	core: IndexReads;
	scanner: Pick<Scanner, "progress">;
	prices: Pick<Prices, "toNative" | "ethUsd">;
	providerHealth: () => ProviderHealth;
};

/** Returns one collection as its own page shows it. */
export async function readCollectionDetail(
	{ core, scanner, prices, providerHealth }: DetailContext,
	found: FoundCollection,
): Promise<CollectionDetail> {
	const chain = resolveChain(core, found.chain);
	const nowMs = core.clock.nowMs();
	const [coverageEnd, spans] = await Promise.all([
		readCoverageEnd(scanner, chain.id),
		readChainSpans(scanner, chain.id),
	]);
	const row = await readCollection(core.db, found.id, { nowMs });
	if (!row) throw marketFault.notFound();
	const context = { nowMs, window: "24h", spans } as const;
	const priceWei = mintPriceWei(chain, row, prices);
	return {
		market: renderCollection(chain, row, {
			nowMs,
			spans,
			coverageEnd,
			prices,
			provider: providerHealth(),
		}),
		figures: renderFigures(row, context, priceWei),
		mint: renderMint(row, context, priceWei),
		lastSale: await lastSaleOf({ db: core.db, prices }, row),
		stats: { data: renderProviderStats(await readProviderStats(core.db, found.id)) },
		observedAt: new Date(nowMs).toISOString(),
	};
}

async function lastSaleOf(
	{ db, prices }: { db: Queryable; prices: Pick<Prices, "ethUsd"> },
	row: CollectionRow,
): Promise<CollectionDetail["lastSale"]> {
	const { lastSaleTokenId, lastSaleAt, lastSaleTransaction } = row;
	if (!lastSaleTokenId || !lastSaleAt || !lastSaleTransaction) return null;
	return {
		tokenId: lastSaleTokenId,
		occurredAt: lastSaleAt.toISOString(),
		priceNative: displayNative(row.lastSaleUnitNative),
		priceUsd: displayUsd(
			row.lastSaleUnitNative === null ? null : BigInt(row.lastSaleUnitNative),
			prices.ethUsd(lastSaleAt.getTime()),
		),
		transactionHash: isStandIn(lastSaleTransaction) ? null : lastSaleTransaction,
		imageUrl: await readSaleImage(db, row),
	};
}
