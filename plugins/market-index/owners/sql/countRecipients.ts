import type { Queryable } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import { countedSql } from "#plugins/market-index/owners/sql/countedSql.ts";

/**
 * Counts the accounts that received a collection's units by accepted mints and sales. By the index
 * `event_by_collection`.
 */
export async function countRecipients(db: Queryable, collectionId: number): Promise<void> {
	await db.execute(
		`insert into market_index.recipients as kept (collection_id, recipients, counted)
		select c.id, (
			select count(distinct e.to_address) from market_index.event as e
			where e.collection_id = c.id and e.kind in (${EVENT_KIND.sale}, ${EVENT_KIND.mint})
				and e.accepted
		), ${countedSql()}
		from market_index.collection as c where c.id = $1
		on conflict (collection_id) do update set
			recipients = excluded.recipients, counted = excluded.counted, counted_at = now()`,
		[collectionId],
	);
}
