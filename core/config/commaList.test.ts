import { expect, test } from "bun:test";
import { z } from "zod";
import { commaList } from "#core/config/commaList.ts";

test("blanks, empty items and repetitions do not count", () => {
	expect(commaList(z.string()).parse(" a, b ,,a,")).toEqual(["a", "b"]);
	expect(commaList(z.string()).parse(" , ")).toEqual([]);
});

test("a bad item is reported with its place", () => {
	const result = commaList(z.enum(["a", "b"])).safeParse("a,c");
	expect(result.error?.issues[0]?.path).toEqual([1]);
});
