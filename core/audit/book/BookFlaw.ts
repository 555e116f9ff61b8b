/**
 * What is wrong with a row, or with a batch.
 *
 * - `changed`, `missing`, `added`: the row is not what was sealed, is gone, or was not there.
 * - `late`: it was sealed, and claims to be of a time whose rows had been sealed long before.
 * - `ahead`: its transaction's number is none that there has been: no batch would ever cover it.
 * - `leaves_missing`, `leaves_changed`: of the batch itself; then its rows cannot be told apart.
 * - `window`: the batch does not begin where the one before it ended.
 * - `unreadable`: this build does not know the book, the source, or that kind of entry.
 */
export type BookFlaw = {
	book: string;
	/** 0: of no batch. */
	batch: number;
	/** The table; null where it is about the whole batch. */
	source: string | null;
	/** The row, as a person looks it up; null where it is about more than one. */
	row: string | null;
	flaw:
		| "changed"
		| "missing"
		| "added"
		| "late"
		| "ahead"
		| "leaves_missing"
		| "leaves_changed"
		| "window"
		| "unreadable";
};
