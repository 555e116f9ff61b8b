import type { Asked } from "#test/conformance/provider/emulator/Asked.ts";
import { Refusal } from "#test/conformance/provider/emulator/Refusal.ts";

export type PageOptions = {
	/** What the document calls the cursor of this list on its way in. */
	cursorName: "next" | "cursor";
	limit: { usual: number; max: number };
};

/** A page of a list that stands still, by index; `next` is left out at its end. */
export function pageOf<One>(
	asked: Asked,
	items: readonly One[],
	{ cursorName, limit }: PageOptions,
): { items: One[]; next?: string } {
	const count = limitOf(asked, limit);
	const question = questionOf(asked);
	const cursor = asked.query.get(cursorName);
	const from = cursor === null ? 0 : Number(asked.cursors.read(question, cursor));
	const end = from + count;
	const next = end < items.length ? asked.cursors.make(question, String(end)) : undefined;
	return { items: items.slice(from, end), ...(next !== undefined && { next }) };
}

export function limitOf({ query }: Asked, { usual, max }: PageOptions["limit"]): number {
	const text = query.get("limit");
	if (text === null) return usual;
	const count = Number(text);
	if (!Number.isInteger(count) || count < 1 || count > max) {
		throw new Refusal(400, `limit must be between 1 and ${max}`);
	}
	return count;
}

/** What a cursor is bound to: the path and what selects rows, whatever the page's size. */
export function questionOf({ pathname, query }: Asked): string {
	const selects = [...query].filter(([key]) => !["limit", "next", "cursor"].includes(key));
	return `${pathname}?${selects
		.map(([key, value]) => `${key}=${value}`)
		.sort()
		.join("&")}`;
}
