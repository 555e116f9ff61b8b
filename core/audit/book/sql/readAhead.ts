import type { BookMark, BookSource } from "#core/audit/book/AuditBook.ts";
import { FLAWS_MAX } from "#core/audit/book/limits.ts";
import { BEFORE_ALL } from "#core/audit/book/sql/bookRows.ts";
import type { Queryable } from "#core/db/Database.ts";

/**
 * What no batch covers: how many rows are newer than the last one, and the keys of those whose
 * transaction's number is none that a transaction has had, so that no batch ever would.
 */
export async function readAhead(
	db: Queryable,
	{ source, mark }: { source: BookSource; mark: BookMark },
): Promise<{ unsealed: number; ahead: Buffer[] }> {
	if (!source.stamp) return { unsealed: 0, ahead: [] };
	const { table, column } = source.stamp;
	const [newer] = await db.query<{ unsealed: number; next: number }>(
		`select count(*) as unsealed,
			pg_snapshot_xmax(pg_current_snapshot())::text::int8 + core.book_tx_offset() as next
		from ${table} where ${column} >= $1 or ${column} = any($2::int8[])`,
		[mark.tx, mark.open],
	);
	const next = newer?.next ?? 0;
	const outside = (from: number | string, to: number | string) =>
		db.query<{ key: Buffer }>(
			`select key from (${source.rows}) as covered order by key limit ${FLAWS_MAX}`,
			[from, [], to, []],
		);
	// A transaction may have begun since the last statement: its number is `next` at least.
	const far = await outside(next + AT_WORK_MAX, INT8_MAX);
	const below = await outside(INT8_MIN, BEFORE_ALL);
	return { unsealed: newer?.unsealed ?? 0, ahead: [...below, ...far].map(({ key }) => key) };
}

const INT8_MIN = "-9223372036854775808";
const INT8_MAX = "9223372036854775807";
/** More transactions than begin between two statements. A forged number below is reached soon. */
const AT_WORK_MAX = 1_000_000;
