import type { Chain } from "#core/chain/Chain.ts";
import { chainOfRow } from "#plugins/market-index/read/chainOfRow.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/read/windowOf.ts";
import { renderDiscoverRow } from "#plugins/market-index/render/renderDiscoverRow.ts";
import { renderEvent } from "#plugins/market-index/render/renderEvent.ts";
import { renderTraits } from "#plugins/market-index/render/renderTraits.ts";
import type { DiscoverMint } from "#plugins/market-index/schemas/discoverMintSchema.ts";
import type { DiscoverRow } from "#plugins/market-index/schemas/discoverRowSchema.ts";
import {
	type CollectionOrder,
	listCollections,
} from "#plugins/market-index/sql/listCollections.ts";
import { readLatestMints } from "#plugins/market-index/sql/readLatestMints.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type Discover = {
	trending: DiscoverRow[];
	mints: DiscoverMint[];
	market: DiscoverRow[];
	minting: DiscoverRow[];
};

/** What happens across all tracked collections of these chains; `limit` rows a section. */
export async function readDiscover(
	{ core, prices }: { core: Pick<IndexReads, "db" | "clock">; prices: Pick<Prices, "ethUsd"> },
	chains: readonly Chain[],
	limit: number,
): Promise<Discover> {
	const nowMs = core.clock.nowMs();
	const chainIds = chains.map(({ id }) => id);
	const window = windowOf(nowMs, WINDOW_MS["24h"]);
	const section = async (order: CollectionOrder): Promise<DiscoverRow[]> => {
		const rows = await listCollections(core.db, { chainIds, nowMs, window, order, limit });
		return rows.map((row) => renderDiscoverRow(chainOfRow(chains, row), row, nowMs));
	};
	const [trending, mints, market, minting] = await Promise.all([
		section("trending"),
		readLatestMints(core.db, { chainIds, limit }),
		section("market"),
		section("minting"),
	]);
	return {
		trending,
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
		market,
		minting,
	};
}
