import type { Chain } from "#core/chain/Chain.ts";
import { chainOfRow } from "#plugins/market-index/display/chainOfRow.ts";
import { type ChainSpans, NO_SPANS } from "#plugins/market-index/figures/ChainSpans.ts";
import { ownersFigure } from "#plugins/market-index/figures/ownersFigure.ts";
import { readSpansOf } from "#plugins/market-index/figures/readChainSpans.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { renderPartial } from "#plugins/market-index/render/renderPartial.ts";
import { renderTrade } from "#plugins/market-index/render/renderTrade.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import type { SearchHit } from "#plugins/market-index/schemas/searchHitSchema.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { readCollections } from "#plugins/market-index/sql/readCollections.ts";

/** Returns these collections as hits, with their figures of the last day, by id. */
export async function readHits(
	{ core, scanner }: Pick<RouteContext, "core" | "scanner">,
	chains: readonly Chain[],
	collectionIds: readonly number[],
): Promise<Map<number, SearchHit>> {
	const nowMs = core.clock.nowMs();
	const window = windowOf(nowMs, WINDOW_MS["24h"]);
	// Read before the rows, so that it never claims more than they contain.
	const spansOf = await readSpansOf(scanner, chains);
	const rows = await readCollections(core.db, { collectionIds, nowMs, window });
	return new Map(
		rows.map((row) => {
			const spans = spansOf.get(row.chainId) ?? NO_SPANS;
			return [row.id, ownHit(chainOfRow(chains, row), row, { nowMs, spans })];
		}),
	);
}

function ownHit(
	chain: Chain,
	row: CollectionRow,
	given: { nowMs: number; spans: ChainSpans },
): SearchHit {
	const context = { ...given, window: "24h" } as const;
	const { fields, volume, sales } = renderTrade(chain, row, context);
	const ownersCount = ownersFigure(row, context);
	return {
		...fields,
		contractAddress: row.address,
		volume24hNative: volume.value,
		sales24h: sales.value,
		ownersCount: ownersCount.value,
		coverage: renderPartial({ volume24hNative: volume, sales24h: sales, ownersCount }),
		source: "svc_index",
	};
}
