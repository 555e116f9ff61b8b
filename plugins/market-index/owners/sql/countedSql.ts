/** Which events of the collection `c` a count of recipients is of, as an expression. */
export function countedSql(): string {
	return `concat_ws(' ', c.mints, c.sales, coalesce(c.last_mint_position, -1),
		coalesce(c.last_sale_position, -1))`;
}
