import type { Queryable } from "#core/db/Database.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { readCoverageEnd } from "#plugins/market-index/read/readCoverageEnd.ts";
import { resolveChain } from "#plugins/market-index/read/resolveChain.ts";
import { displayNative } from "#plugins/market-index/render/displayNative.ts";
import { renderCollection } from "#plugins/market-index/render/renderCollection.ts";
import { renderMint } from "#plugins/market-index/render/renderMint.ts";
import type { CollectionDetail } from "#plugins/market-index/schemas/collectionDetailSchema.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { readCollection } from "#plugins/market-index/sql/readCollection.ts";
import { readSaleImage } from "#plugins/market-index/sql/readSaleImage.ts";

/** One collection as its own page shows it. */
export async function readCollectionDetail(
	{ core, scanner }: { core: IndexReads; scanner: Pick<Scanner, "progress"> },
	found: FoundCollection,
): Promise<CollectionDetail> {
	const chain = resolveChain(core, found.chain);
	const nowMs = core.clock.nowMs();
	const coverageEnd = await readCoverageEnd(scanner, chain.id);
	const row = await readCollection(core.db, found.id, nowMs);
	if (!row) throw marketFault.notFound();
	return {
		market: renderCollection(chain, row, { nowMs, coverageEnd }),
		mint: renderMint(chain, row, nowMs),
		lastSale: await lastSaleOf(core.db, row),
		// The provider's own figures; there is no provider in this build.
		stats: { data: { total: { floor_price: null, floor_price_symbol: null } } },
		observedAt: new Date(nowMs).toISOString(),
	};
}

async function lastSaleOf(
	db: Queryable,
	row: CollectionRow,
): Promise<CollectionDetail["lastSale"]> {
	const { lastSaleTokenId, lastSaleAt, lastSaleTransaction } = row;
	if (!lastSaleTokenId || !lastSaleAt || !lastSaleTransaction) return null;
	return {
		tokenId: lastSaleTokenId,
		occurredAt: lastSaleAt.toISOString(),
		priceNative: displayNative(row.lastSaleUnitNative),
		priceUsd: null,
		transactionHash: lastSaleTransaction,
		imageUrl: await readSaleImage(db, row),
	};
}
