import type { Chain } from "#core/chain/Chain.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { ChainSpans } from "#plugins/market-index/figures/ChainSpans.ts";
import { renderDiscoverRow } from "#plugins/market-index/render/renderDiscoverRow.ts";
import type { DiscoverRow } from "#plugins/market-index/schemas/discoverRowSchema.ts";
import { createBinder } from "#plugins/market-index/sql/Binder.ts";
import { collectionRows } from "#plugins/market-index/sql/collectionRows.ts";
import {
	DISCOVER_COLUMNS,
	type DiscoverColumns,
} from "#plugins/market-index/sql/discoverColumns.ts";

/**
 * Returns discover rows of these collections of one chain, in order of id; an excluded one has
 * none.
 *
 * Runs inside the lane's transaction for every live batch: collections and rollups are read by
 * their primary keys only.
 */
export async function readDiscoverRows(
	db: Queryable,
	chain: Chain,
	collectionIds: readonly number[],
	{ nowMs, spans }: { nowMs: number; spans: ChainSpans | Promise<ChainSpans> },
): Promise<DiscoverRow[]> {
	if (collectionIds.length === 0) return [];
	const binder = createBinder();
	const ids = binder.bind(collectionIds, "int4[]");
	const text = collectionRows(binder, {
		picked: `with picked as (
			select id from market_index.collection where id = any(${ids}) and not excluded
		)`,
		nowMs,
		orderBy: "c.id",
		columns: DISCOVER_COLUMNS,
	});
	const reading = db.query<DiscoverColumns>(text, binder.values);
	// Neither waits for the other: both were sent.
	const [rows, covered] = await Promise.all([reading, spans]);
	return rows.map((row) => renderDiscoverRow(chain, row, { nowMs, spans: covered }));
}
