import type { Queryable } from "#core/db/Database.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** From when and until when the provider's events of a collection are stored. */
export type ProviderEvents = Pick<
	CollectionRow,
	"eventsFrom" | "eventsUntil" | "walkFrom" | "walkUntil"
>;

/**
 * Reads the time for which the provider's events of a collection are stored; by the primary key of
 * `sync`.
 */
export async function readEventSpans(db: Queryable, collectionId: number): Promise<ProviderEvents> {
	const rows = await db.query<ProviderEvents>(
		`select events_from as "eventsFrom", events_until as "eventsUntil",
			walk_reached as "walkFrom", walk_until as "walkUntil"
		from market_index.sync where collection_id = $1`,
		[collectionId],
	);
	return rows[0] ?? NOTHING;
}

const NOTHING: ProviderEvents = {
	eventsFrom: null,
	eventsUntil: null,
	walkFrom: null,
	walkUntil: null,
};
