import type { Queryable } from "#core/db/Database.ts";

/** Deletes every owner: what is not kept current any more must not be shown. */
export async function forgetAllOwners(db: Queryable): Promise<void> {
	await db.execute(
		`truncate market_index.ownership, market_index.owned_span, market_index.owned_units,
			market_index.holder, market_index.span_before, market_index.units_added,
			market_index.owner_garbage, market_index.owner_journal`,
	);
}
