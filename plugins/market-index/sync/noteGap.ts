import type { Queryable } from "#core/db/Database.ts";

/**
 * Pushes of these collections may have been missed since then: the next lean sync begins with them
 * and asks from there on, and their books are read as soon as somebody looks at them.
 */
export async function noteGap(
	db: Queryable,
	gap: { slugs: readonly string[]; sinceMs: number },
): Promise<void> {
	await db.execute(
		`update market_index.sync set events_until = least(events_until, $2), lean_at = null,
			orders_due_at = least(orders_due_at, $2)
		where provider_slug = any($1::text[])`,
		[gap.slugs, new Date(gap.sinceMs)],
	);
}
