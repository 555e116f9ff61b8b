import type { BookFlaw } from "#core/audit/book/BookFlaw.ts";

/** What the batches of all books came to. */
export type BookReport = {
	batches: number;
	/** Rows that batches cover, counted once for each batch. */
	rows: number;
	/** Rows that are too new to be sealed yet. */
	unsealed: number;
	flawsTotal: number;
	/** The first of them. */
	flaws: readonly BookFlaw[];
};
