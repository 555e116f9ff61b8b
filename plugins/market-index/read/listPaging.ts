// Pages lists whose order is that of the moment, by how many rows came before.

import { CURSOR_PART, type Cursor, createCursor } from "#core/http/pages.ts";

export type ListPage = { nextCursor: string | null; hasMore: boolean };

export type ListPaging = {
	/** Rows before the page. */
	skipped: number;
	/** Rows to read from the beginning: those before the page, the page, and one more. */
	reach: number;
	/**
	 * Returns the page's rows, and where the next one begins. `isSkipped`: the rows begin with the
	 * page's first, and not with the list's.
	 */
	cut<Row>(
		rows: readonly Row[],
		options?: { isSkipped?: boolean },
	): { shown: Row[]; page: ListPage };
};

/**
 * Rows that pages reach. A list by figures of now has no place that lasts, so each page reads the
 * rows before it again: this bounds what the last one costs.
 */
const LIST_DEPTH_MAX = 2_000;

/** Says what pages of such a list are, for the descriptions of routes. */
export const PAGES_MOVE =
	"Each page is that of its moment: a collection that moved meanwhile may be on two pages or on " +
	`none. Pages reach ${LIST_DEPTH_MAX} rows; where \`hasMore\` is true without a \`nextCursor\`, ` +
	"there are more.";

/** Makes the cursors of a list by figures of now. */
export function createListCursor(mark: string) {
	return createCursor(mark, [CURSOR_PART.count]);
}

/** Says which rows a page needs. Throws for a cursor that is not of this list. */
export function listPaging(
	bound: Cursor,
	{ cursor, limit }: { cursor: string | undefined; limit: number },
): ListPaging {
	const before = cursor === undefined ? 0 : Number(bound.decode(cursor)[0]);
	const skipped = Math.min(before, LIST_DEPTH_MAX);
	return {
		skipped,
		reach: skipped + limit + 1,
		cut(rows, { isSkipped = false } = {}) {
			const own = isSkipped ? rows : rows.slice(skipped);
			const hasMore = own.length > limit;
			const next = skipped + limit;
			const nextCursor = hasMore && next < LIST_DEPTH_MAX ? bound.encode([String(next)]) : null;
			return { shown: own.slice(0, limit), page: { nextCursor, hasMore } };
		},
	};
}
