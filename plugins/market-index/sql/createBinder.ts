import type { SqlValue } from "#core/db/Database.ts";

/** Collects a statement's parameters while its text is put together. */
export type Binder = {
	readonly values: SqlValue[];
	/** Adds a value and returns its placeholder with its type, `$3::int8`. */
	bind(value: SqlValue, type: string): string;
};

/**
 * Makes a binder for statements made of shared parts, so that parameters need not be counted across
 * files.
 *
 * @example
 * const binder = createBinder();
 * const id = binder.bind(collectionId, "int4");
 * const text = `select slug from market_index.collection where id = ${id}`; // "… id = $1::int4"
 * await db.query(text, binder.values);
 */
export function createBinder(): Binder {
	const values: SqlValue[] = [];
	return {
		values,
		bind: (value, type) => `$${values.push(value)}::${type}`,
	};
}
