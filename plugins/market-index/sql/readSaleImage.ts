import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Queryable } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import type { StoredEvent } from "#plugins/market-index/event/StoredEvent.ts";
import { shownPayload } from "#plugins/market-index/payload/shownPayload.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { readTokenFacts } from "#plugins/market-index/tokens/sql/readTokenFacts.ts";

/**
 * Returns the image that came with a collection's last sale, else its token's own. By
 * `event_by_collection` (collection, kind, time), whose time is that of the sale's block, and by
 * `token_pkey`.
 */
export async function readSaleImage(
	db: Queryable,
	row: Pick<CollectionRow, "id" | "lastSaleAt" | "lastSaleTokenId" | "lastSaleTransaction">,
): Promise<string | null> {
	if (row.lastSaleAt === null || row.lastSaleTransaction === null) return null;
	const rows = await db.query<Pick<StoredEvent, "payload">>(
		`select payload from market_index.event
		where collection_id = $1 and kind = $2 and occurred_at = $3 and transaction_hash = $4
			and token_id = $5::numeric and accepted and payload is not null
		order by log_index desc, sub_index desc limit 1`,
		[
			row.id,
			EVENT_KIND.sale,
			row.lastSaleAt,
			bytesOf(row.lastSaleTransaction),
			row.lastSaleTokenId,
		],
	);
	const sold = shownPayload(rows[0]?.payload ?? null).imageUrl;
	if (sold !== null || row.lastSaleTokenId === null) return sold;
	const facts = await readTokenFacts(db, row.id, [row.lastSaleTokenId]);
	return facts.get(row.lastSaleTokenId)?.imageUrl ?? null;
}
