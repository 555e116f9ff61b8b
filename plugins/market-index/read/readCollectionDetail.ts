import type { Queryable } from "#core/db/Database.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { isStandIn } from "#plugins/market-index/merge/isStandIn.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { readCoverageEnd } from "#plugins/market-index/read/readCoverageEnd.ts";
import { resolveChain } from "#plugins/market-index/read/resolveChain.ts";
import { displayNative } from "#plugins/market-index/render/displayNative.ts";
import { displayUsd } from "#plugins/market-index/render/displayUsd.ts";
import type { ProviderHealth } from "#plugins/market-index/render/ProviderHealth.ts";
import { renderCollection } from "#plugins/market-index/render/renderCollection.ts";
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

/** One collection as its own page shows it. */
export async function readCollectionDetail(
	{ core, scanner, prices, providerHealth }: DetailContext,
	found: FoundCollection,
): Promise<CollectionDetail> {
	const chain = resolveChain(core, found.chain);
	const nowMs = core.clock.nowMs();
	const coverageEnd = await readCoverageEnd(scanner, chain.id);
	const row = await readCollection(core.db, found.id, nowMs);
	if (!row) throw marketFault.notFound();
	return {
		market: renderCollection(chain, row, {
			nowMs,
			coverageEnd,
			prices,
			provider: providerHealth(),
		}),
		mint: renderMint(chain, row, { nowMs, prices }),
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
