import { z } from "zod";
import { Refusal } from "./Refusal.ts";

export type Paging<Item> = {
	query: URLSearchParams;
	/** `next` in some families, `cursor` or `after` in others; the answer always calls it `next`. */
	cursorName: "next" | "cursor" | "after";
	limitDefault: number;
	limitMax: number;
	/**
	 * Returns an item's position: pages continue after the last one shown, even if the list has
	 * changed.
	 */
	position(item: Item): readonly number[];
};

const Position = z.array(z.number()).max(4);

/** Returns one page of a list that is sorted by its items' positions, the lowest first. */
export function pageOf<Item>(
	items: readonly Item[],
	paging: Paging<Item>,
): { items: Item[]; next?: string } {
	const limit = limitOf(paging.query, paging);
	const cursor = paging.query.get(paging.cursorName);
	const after = cursor ? readCursor(cursor) : null;
	const rest = after
		? items.filter((item) => compare(paging.position(item), after) > 0)
		: items.slice(0, limit + 1);
	const shown = rest.slice(0, limit);
	const last = shown.at(-1);
	if (rest.length <= limit || last === undefined) return { items: shown };
	return { items: shown, next: writeCursor(paging.position(last)) };
}

/**
 * Returns the page size; refuses one outside the bounds, as the document's minimum and maximum
 * require.
 */
export function limitOf(
	query: URLSearchParams,
	{ limitDefault, limitMax }: { limitDefault: number; limitMax: number },
): number {
	const text = query.get("limit");
	if (text === null) return limitDefault;
	const limit = Number(text);
	if (!Number.isInteger(limit) || limit < 1 || limit > limitMax) {
		throw new Refusal(400, `limit must be between 1 and ${limitMax}`);
	}
	return limit;
}

export function writeCursor(position: readonly number[]): string {
	return Buffer.from(JSON.stringify(position)).toString("base64url");
}

export function readCursor(cursor: string): readonly number[] {
	try {
		return Position.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
	} catch {
		throw new Refusal(400, "Invalid cursor");
	}
}

function compare(a: readonly number[], b: readonly number[]): number {
	for (const [n, value] of a.entries()) {
		const other = b[n] ?? 0;
		if (value !== other) return value < other ? -1 : 1;
	}
	return 0;
}
