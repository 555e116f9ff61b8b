/**
 * Returns SQL that says whether a collection row called `c` has an announced mint that is not over;
 * `now` is bound.
 */
export function announcedSql(now: string): string {
	return `exists (
			select from market_index.drop as d
			where d.chain_id = c.chain_id and d.contract = c.address
				and (d.ends_at is null or d.ends_at > ${now})
		)`;
}
