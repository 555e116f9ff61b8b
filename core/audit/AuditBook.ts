// Describes which rows a book seals: its tables, and the window of one batch.

/**
 * Tables of a plugin whose rows go to the audit chain in batches: hashing each row into the chain
 * by itself would make all writers wait for each other.
 */
export type AuditBook = {
	/** In each batch's entry: never given to other tables, nor to other columns of the same ones. */
	name: string;
	sources: readonly BookSource[];
};

/** The rows of one table, as a batch covers them. */
export type BookSource = {
	/** What a person calls them: the table's name. */
	name: string;
	/** Length of a key. Keys of one source are equally long, and sort as bytes. */
	keyBytes: number;
	/**
	 * A statement that answers `key bytea`, `hash bytea`, `at timestamptz` and `is_last boolean` of
	 * each row in a window (`windowSql`): `$1` to `$4`. A row that is not `is_last` was covered
	 * again by a later batch, as it was then: its hash counts for nothing here.
	 */
	rows: string;
	/** Where a row's transaction stands, if it never changes. Null: it is found through others. */
	stamp: { table: string; column: string } | null;
	/** The row's key for a person. */
	nameOf(key: Buffer): string;
};

/**
 * Transactions from one state of the database to a later one: those from `from.tx` to before
 * `to.tx`, without those of `to.open`, which were not over yet, and with those of `from.open`,
 * which had been left out for that.
 */
export type BookWindow = { from: BookMark; to: BookMark };

export type BookMark = { tx: number; open: readonly number[] };
