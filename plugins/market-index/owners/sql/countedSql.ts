/**
 * Returns an expression for the state of the events of the collection `c` that a count of
 * recipients is based on.
 */
export function countedSql(): string {
	return `concat_ws(' ', c.mints, c.sales, coalesce(c.last_mint_position, -1),
		coalesce(c.last_sale_position, -1))`;
}
