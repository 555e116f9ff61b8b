import type { BookMark } from "#core/audit/book/AuditBook.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";

/** Below every transaction's number: where the first batch of a book begins. */
export const BEFORE_ALL = Number.MIN_SAFE_INTEGER;

export type BookState = { batch: number; mark: BookMark; sealedAtMs: number };

/** How far each book is sealed: one row a book, whose lock makes sealing serial. */
export const bookRows = {
	async begin(tx: Tx, name: string): Promise<void> {
		await tx.execute(
			`insert into core.audit_book (name, batch, to_tx, to_open, sealed_at)
			values ($1, 0, $2, '{}', 'epoch') on conflict do nothing`,
			[name, BEFORE_ALL],
		);
	},
	/** Null where there is no such book yet, and where somebody is sealing it right now. */
	async take(tx: Tx, name: string): Promise<BookState | null> {
		const [row] = await tx.query<Row>(`${SELECT} for update skip locked`, [name]);
		return row ? read(row) : null;
	},
	async find(db: Queryable, name: string): Promise<BookState | null> {
		const [row] = await db.query<Row>(SELECT, [name]);
		return row ? read(row) : null;
	},
	async move(tx: Tx, { name, state }: { name: string; state: BookState }): Promise<void> {
		const { batch, mark, sealedAtMs } = state;
		await tx.execute(
			`update core.audit_book set batch = $2, to_tx = $3, to_open = $4, sealed_at = $5
			where name = $1`,
			[name, batch, mark.tx, mark.open, new Date(sealedAtMs)],
		);
	},
};

const SELECT = `select batch, to_tx, to_open::text[] as to_open, sealed_at
	from core.audit_book where name = $1`;

type Row = { batch: number; to_tx: number; to_open: string[]; sealed_at: Date };

function read({ batch, to_tx, to_open, sealed_at }: Row): BookState {
	const mark = { tx: to_tx, open: to_open.map(Number) };
	return { batch, mark, sealedAtMs: sealed_at.getTime() };
}
