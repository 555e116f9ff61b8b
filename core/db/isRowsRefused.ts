/** SQLSTATE classes 22 (data exception) and 23 (integrity): the rows are at fault. */
const ROWS_REFUSED = /^2[23][0-9A-Z]{3}$/;

/**
 * Returns whether the database refused the values of a row: the same rows will be refused again.
 */
export function isRowsRefused(error: unknown): boolean {
	if (!(error instanceof Error) || !("code" in error)) return false;
	return typeof error.code === "string" && ROWS_REFUSED.test(error.code);
}
