import { expect, test } from "bun:test";
import { figures } from "#test/bench/figures.ts";
import { readPaths } from "#test/bench/measure/runReads.ts";

test("each figure has a unique name, so that it can be measured alone", () => {
	const names = figures.map(({ name }) => name.toLowerCase());
	expect(new Set(names).size).toBe(names.length);
});

test("each read path has its figures, and the market's frequent reads have a goal", () => {
	const sized = figures.filter(({ name }) => name.includes("p99, 10 million"));
	expect(sized.map(({ name }) => name.split(" p99")[0])).toEqual(readPaths.map(({ name }) => name));
	const held = sized.filter(({ goal }) => goal !== null).map(({ name }) => name.split(" ")[0]);
	expect([...new Set(held)]).toEqual(["discover", "trending", "detail", "candles"]);
});

test("the path of payments has goals", () => {
	const held = figures.filter(({ name }) => name.startsWith("intent"));
	expect(held.map(({ goal }) => goal)).toEqual([
		{ kind: "at_most", value: 30 },
		{ kind: "at_least", value: 200 },
	]);
});
