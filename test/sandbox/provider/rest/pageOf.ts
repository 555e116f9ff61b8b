import { z } from "zod";
import { Refusal } from "./Refusal.ts";

export type Paging<Item> = {
	query: URLSearchParams;
	/** `next` in some families, `cursor` or `after` in others; it always comes back as `next`. */
	cursorName: "next" | "cursor" | "after";
	limitDefault: number;
	limitMax: number;
	/** Where an item stands: pages go on behind the last one shown, also when the list has moved. */
	position(item: Item): readonly number[];
};

const Position = z.array(z.number()).max(4);

/** One page of a list that is sorted by its items' positions, lowest first. */
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

/** How many a client wants; out of bounds is refused, as the document's minimum and maximum say. */
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
