import type { Queryable } from "#core/db/Database.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { EVENT_KIND } from "#plugins/market-index/sql/insertEvents.ts";

/**
 * The image that came with a collection's last sale, if its event carries one. By
 * `event_by_collection` (collection, kind, time), whose time is that of the sale's block.
 */
export async function readSaleImage(
	db: Queryable,
	row: Pick<CollectionRow, "id" | "lastSaleAt" | "lastSaleTokenId" | "lastSaleTransaction">,
): Promise<string | null> {
	if (row.lastSaleAt === null || row.lastSaleTransaction === null) return null;
	const rows = await db.query<{ imageUrl: string | null }>(
		`select coalesce(
				nullif(payload ->> 'image_url', ''), nullif(payload ->> 'display_image_url', '')
			) as "imageUrl"
		from market_index.event
		where collection_id = $1 and kind = $2 and occurred_at = $3 and transaction_hash = $4
			and token_id = $5::numeric and accepted and payload is not null
		order by log_index desc, sub_index desc limit 1`,
		[
			row.id,
			EVENT_KIND.sale,
			row.lastSaleAt,
			Buffer.from(row.lastSaleTransaction.slice(2), "hex"),
			row.lastSaleTokenId,
		],
	);
	return rows[0]?.imageUrl ?? null;
}
