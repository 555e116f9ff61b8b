import type { BookWindow } from "#core/audit/book/AuditBook.ts";
import type { SqlValue } from "#core/db/Database.ts";

/** A window in the statements of sources: `$1` to `$4`. */
export const windowSql = {
	values: ({ from, to }: BookWindow): SqlValue[] => [from.tx, from.open, to.tx, to.open],
	/** Whether a transaction's number is in the window, by an index on it. */
	has: (tx: string) =>
		`((${tx} >= $1::int8 and ${tx} < $3::int8) or ${tx} = any($2::int8[])) ` +
		`and ${tx} <> all($4::int8[])`,
	/** Whether it is of later windows. */
	isBehind: (tx: string) => `(${tx} >= $3::int8 or ${tx} = any($4::int8[]))`,
};
