import { expect, test } from "bun:test";
import type { KnownName } from "#core/plugin/Tool.ts";
import { readWith } from "#test/agent/judgeTexts.ts";

// Guarantee: a question about two names is answered with both figures, or not read.

const names = new Map<string, KnownName>([
	...["kiln folk", "night ferry", "moss and marrow", "azuki"].map((name): [string, KnownName] => [
		name,
		{ kind: "collection" },
	]),
	...["NVDA", "AMD", "AAPL"].map((ticker): [string, KnownName] => [
		ticker.toLowerCase(),
		{ kind: "asset", ticker },
	]),
]);
const read = readWith(names);
const figureOf = (text: string) => {
	const got = read(text);
	return got && "read" in got && got.leftOut === null ? got.read : null;
};

test.each([
	["kiln folk vs night ferry floor", "compare_floor", []],
	["Which is cheaper, Kiln Folk or Moss and Marrow?", "compare_floor", []],
	["between kiln folk and night ferry, who traded more this week?", "compare_volume", ["7d"]],
	["does night ferry sell more than kiln folk", "compare_sales", []],
	["does moss and marrow have more holders than night ferry", "compare_holders", []],
	["NVDA or AMD, which one moved more since monday", "compare_stocks", ["since-monday-utc"]],
	["did nvda do better than aapl this month? no: nvda vs aapl, 30d", null, []],
	["kiln folk floor vs azuki elementals floor", null, []],
	["kiln folk or night ferry", null, []],
	["kiln folk vs night ferry vs azuki floor", null, []],
	["kiln folk floor this week vs last month night ferry", null, []],
	["is kiln folk floor higher than 2 night ferry", null, []],
	["send kiln folk or night ferry floor", null, []],
] as const)("%s", (text, command, values) => {
	const figure = figureOf(text);
	if (command === null) return expect(figure).toBeNull();
	expect(figure).toStartWith(`["${command}"`);
	for (const value of values) expect(figure).toContain(`"${value}"`);
});
