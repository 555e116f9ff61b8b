import type { Chain } from "#core/chain/Chain.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { chainOfRow } from "#plugins/market-index/display/chainOfRow.ts";
import { NO_SPANS } from "#plugins/market-index/figures/ChainSpans.ts";
import { readSpansOf } from "#plugins/market-index/figures/readChainSpans.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { renderDiscoverRow } from "#plugins/market-index/render/renderDiscoverRow.ts";
import { renderEvent } from "#plugins/market-index/render/renderEvent.ts";
import { renderTraits } from "#plugins/market-index/render/renderTraits.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import type { DiscoverMint } from "#plugins/market-index/schemas/discoverMintSchema.ts";
import type { DiscoverRow } from "#plugins/market-index/schemas/discoverRowSchema.ts";
import { DISCOVER_COLUMNS } from "#plugins/market-index/sql/discoverColumns.ts";
import { type Picked, pickCollections } from "#plugins/market-index/sql/pickCollections.ts";
import { readLatestMints } from "#plugins/market-index/sql/readLatestMints.ts";
import { type KnownFigures, readPicked } from "#plugins/market-index/sql/readPicked.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type Discover = {
	trending: DiscoverRow[];
	mints: DiscoverMint[];
	market: DiscoverRow[];
	minting: DiscoverRow[];
};

type DiscoverContext = {
	core: Pick<IndexReads, "db" | "clock">;
	scanner: Pick<Scanner, "progress">;
	prices: Pick<Prices, "ethUsd">;
};

/** Returns what happens across all tracked collections of these chains; `limit` rows a section. */
export async function readDiscover(
	{ core, scanner, prices }: DiscoverContext,
	chains: readonly Chain[],
	limit: number,
): Promise<Discover> {
	const nowMs = core.clock.nowMs();
	const chainIds = chains.map(({ id }) => id);
	const window = windowOf(nowMs, WINDOW_MS["24h"]);
	// Read before the rows, so that it never claims more than they contain.
	const spansOf = await readSpansOf(scanner, chains);
	const db = core.db.keepingPlans;
	const pick = (order: "trending" | "market" | "minting") =>
		pickCollections(db, { chainIds, nowMs, window, order, limit });
	const [trending, mints, market, minting] = await Promise.all([
		pick("trending"),
		readLatestMints(db, { chainIds, limit }),
		pick("market"),
		pick("minting"),
	]);
	const picked = knownFigures({ daily: [...trending, ...market], minting, limit });
	const columns = DISCOVER_COLUMNS;
	const rows = await readPicked(db, { picked, nowMs, window, columns });
	const rendered = new Map(
		rows.map((row) => {
			const spans = spansOf.get(row.chainId) ?? NO_SPANS;
			return [row.id, renderDiscoverRow(chainOfRow(chains, row), row, { nowMs, spans })];
		}),
	);
	const section = (ids: readonly Picked[]) => ids.flatMap(({ id }) => rendered.get(id) ?? []);
	return {
		trending: section(trending),
		mints: mints.map(({ event, collection, token, ...row }) => {
			// Mints are paid in native currency, so there is no coin to look up.
			const context = { currencies: new Map(), prices };
			const mint = renderEvent(chainOfRow(chains, row), event, context);
			return {
				...mint,
				imageUrl: mint.imageUrl ?? token.imageUrl,
				traits: mint.traits ?? renderTraits(token.traits),
				collection,
			};
		}),
		market: section(market),
		minting: section(minting),
	};
}

/**
 * Returns each collection once, with the sums that the sections already have. A collection that is
 * not among those that mint has no mint of the last hour, unless there are more of them than fit.
 */
function knownFigures(sections: {
	daily: readonly Picked[];
	minting: readonly Picked[];
	limit: number;
}): KnownFigures[] {
	const { daily, minting, limit } = sections;
	const mintsOfOthers = minting.length < limit ? 0 : null;
	const known = new Map<number, KnownFigures>();
	for (const { id, sales, priced, volume } of daily) {
		const window = sales === null ? null : { sales, priced, volume };
		known.set(id, { id, window: known.get(id)?.window ?? window, mints1h: mintsOfOthers });
	}
	for (const { id, mints } of minting) {
		known.set(id, { id, window: known.get(id)?.window ?? null, mints1h: mints });
	}
	return [...known.values()];
}
