/** A table whose rows are read one by one, so that one that cannot be read keeps no other back. */
export type RowSource<Row, Item> = {
	/** With its schema: `wallets.submission`. */
	table: string;
	/** Reads rows again by their keys, `$1`, a list of texts. */
	select: string;
	keyOf(row: Row): string;
	/** Throws where the row holds what cannot be so. Pure: it is called again to see a repair. */
	read(row: Row): Item;
};
