import { expect, test } from "bun:test";
import { createListCursor, listPaging } from "#plugins/market-index/read/listPaging.ts";

const bound = createListCursor("test1").of({ chain: "ethereum" });
const rows = Array.from({ length: 5_000 }, (_, index) => index);

test("a list goes 2,000 rows deep, and says that there are more", () => {
	let cursor: string | undefined;
	const seen: number[] = [];
	for (;;) {
		const paging = listPaging(bound, { cursor, limit: 150 });
		const { shown, page } = paging.cut(rows.slice(0, paging.reach));
		seen.push(...shown);
		expect(page.hasMore).toBe(true);
		if (page.nextCursor === null) break;
		cursor = page.nextCursor;
	}
	expect(seen).toEqual(rows.slice(0, 2_100));
});

test("an invented place reads no more than the deepest page", () => {
	const cursor = bound.encode(["9".repeat(78)]);
	expect(listPaging(bound, { cursor, limit: 200 }).reach).toBe(2_201);
});

test("rows that were read from the page's first on are not skipped again", () => {
	const paging = listPaging(bound, { cursor: bound.encode(["3"]), limit: 2 });
	expect(paging.cut([3, 4, 5], { isSkipped: true })).toEqual({
		shown: [3, 4],
		page: { nextCursor: bound.encode(["5"]), hasMore: true },
	});
});
