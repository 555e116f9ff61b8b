import { announcedSql } from "#plugins/market-index/lifecycle/announcedSql.ts";
import { type Lifecycle, MINT_SILENCE_MS } from "#plugins/market-index/lifecycle/Lifecycle.ts";
import { SOLD_OUT_SHOWN_MS } from "#plugins/market-index/lifecycle/limits.ts";
import { tradedSql } from "#plugins/market-index/lifecycle/tradedSql.ts";

/** Values of the `lifecycle` filter: those that clients see, or `ended` = stored `minted_out`. */
export type LifecycleFilter = Lifecycle | "ended";

/**
 * Returns `lifecycleOf` as an expression over a row of `collection` called `c`; `now` is a bound
 * time.
 */
export function lifecycleSql(now: string): string {
	return `case
		when c.max_supply > 0 and c.minted_units >= c.max_supply then 'minted_out'
		when c.first_mint_at is null or c.last_mint_at is null
			then case when c.sales > 0 or ${tradedSql} then 'secondary'
				when ${announcedSql(now)} then 'upcoming' end
		when c.sales > 0 and coalesce(c.max_supply, 0) = 0
			and c.last_mint_at <= ${now} - interval '${MINT_SILENCE_MS} milliseconds' then 'secondary'
		else 'minting'
	end`;
}

/**
 * Returns the condition for one filter value. Values select by the presented lifecycle, so that
 * rows match it.
 */
export function lifecycleFilterSql(filter: LifecycleFilter, now: string): string {
	const stored = lifecycleSql(now);
	if (filter === "ended") return `(${stored}) = 'minted_out'`;
	const shown = `c.last_mint_at >= ${now} - interval '${SOLD_OUT_SHOWN_MS} milliseconds'`;
	if (filter === "minted_out") return `((${stored}) = 'minted_out' and ${shown})`;
	if (filter === "secondary") {
		return `((${stored}) = 'secondary' or ((${stored}) = 'minted_out' and (${shown}) is not true))`;
	}
	return `(${stored}) = '${filter}'`;
}
