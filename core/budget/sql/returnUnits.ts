import type { BudgetTerms } from "#core/budget/Budget.ts";
import type { Queryable } from "#core/db/Database.ts";

/** Gives back the units of one take that was granted at `atMs` and not used; by primary key. */
export async function returnUnits(
	db: Queryable,
	key: Buffer,
	{ amount, shares = [], atMs }: Pick<BudgetTerms, "amount" | "shares"> & { atMs: number },
): Promise<void> {
	await db.execute(
		`update core.budget as kept set (taken_at, taken_of) = (
			select coalesce(array_agg(at order by n), '{}'), coalesce(array_agg(kinds order by n), '{}')
			from (
				select at, kinds, n, at = $2 and kinds = $3 as is_same,
					row_number() over (partition by at = $2 and kinds = $3 order by n) as nth
				from unnest(kept.taken_at, kept.taken_of) with ordinality as unit (at, kinds, n)
			) as unit
			where not (is_same and nth <= $4)
		) where key = $1`,
		[key, atMs, shares.map(({ of }) => of).join(" "), amount],
	);
}
