import type { Queryable } from "#core/db/Database.ts";

const TABLES = ["owned_span", "owned_units", "holder"];

/** Deletes some rows of a set that is not read any more; false once none is left. */
export async function clearGarbage(db: Queryable, rowsMax: number): Promise<boolean> {
	const [garbage] = await db.query<{ id: number }>(
		"select set_id as id from market_index.owner_garbage limit 1",
	);
	if (!garbage) return false;
	for (const table of TABLES) {
		const cleared = await db.execute(
			`delete from market_index.${table} where ctid = any(array(
				select ctid from market_index.${table} where set_id = $1 limit $2
			))`,
			[garbage.id, rowsMax],
		);
		if (cleared > 0) return true;
	}
	await db.execute("delete from market_index.owner_garbage where set_id = $1", [garbage.id]);
	return true;
}
