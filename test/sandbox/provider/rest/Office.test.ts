import { expect, test } from "bun:test";
import fc from "fast-check";
import { pageOf, Refusal } from "./Office.ts";

type Row = { price: number; seq: number };
const paging = (query: string) => ({
	query: new URLSearchParams(query),
	cursorName: "next" as const,
	limitDefault: 50,
	limitMax: 200,
	position: ({ price, seq }: Row) => [price, seq],
});
const rows = (prices: readonly number[]): Row[] =>
	prices.map((price, seq) => ({ price, seq })).sort((a, b) => a.price - b.price || a.seq - b.seq);

test("pages show every row once and in order, for any size", () => {
	fc.assert(
		fc.property(
			fc.array(fc.integer({ min: 0, max: 5 })),
			fc.integer({ min: 1, max: 9 }),
			(p, size) => {
				const all = rows(p);
				const shown: Row[] = [];
				let next: string | undefined;
				for (let n = 0; n <= all.length; n++) {
					const page = pageOf(all, paging(`limit=${size}${next ? `&next=${next}` : ""}`));
					shown.push(...page.items);
					next = page.next;
					if (!next) break;
				}
				expect(shown).toEqual(all);
			},
		),
	);
});

test("a list that changed continues after the last row shown", () => {
	const first = pageOf(rows([1, 2, 3, 4]), paging("limit=2"));
	const second = pageOf(rows([9, 9, 3, 4]), paging(`limit=2&next=${first.next}`));
	expect(second.items.map(({ price }) => price)).toEqual([3, 4]);
});

for (const wrong of ["limit=0", "limit=201", "limit=x", "limit=1.5", "next=%7B", "next=bm9uZQ"]) {
	test(`${wrong} is refused`, () => {
		expect(() => pageOf(rows([1]), paging(wrong))).toThrow(Refusal);
	});
}
