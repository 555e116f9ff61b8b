import { describe, expect, test } from "bun:test";
import { createGrammar } from "#agent/grammar/Grammar.ts";
import { commands, isStrict } from "#agent/grammar/testing/commands.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { AssertionFailed } from "#core/fault.ts";
import type { Command, Topic } from "#core/plugin/Tool.ts";

const topics: Readonly<Record<string, Topic>> = {
	floor: { words: ["floor", "price", "how much", "bottom"], takesPrice: true },
	volume: { words: ["volume", "turnover", "how much … trade"], over: ["floor"] },
	holders: { words: ["holders", "whales", "who … hold"], over: ["floor"] },
	token: { words: ["rare", "rank"], over: ["floor"] },
	trending: { words: ["hot", "volume"] },
};
const asked: readonly Command[] = commands.map((command) => {
	const topic = topics[command.name];
	return topic ? { ...command, topic } : command;
});
const options = { isStrict, chains: createChainRegistry(builtinChains) };
const grammar = createGrammar(asked, options);

function printed(text: string): string | null {
	const parsed = grammar.parse(text);
	return parsed.kind === "read" ? grammar.print(parsed.reading) : null;
}

describe("a question that no form reads is read by what it is about", () => {
	test.each([
		["kiln folk bottom", "floor kiln folk"],
		["so what would the bottom be for kiln folk these days", "floor kiln folk"],
		["turnover of kiln folk past 7 days on base", "volume kiln folk 7d on base"],
		["how much did kiln folk trade this week", "volume kiln folk 7d"],
		["seven day turnover kiln folk", "volume kiln folk 7d"],
		["any whales in kiln folk?", "holders kiln folk"],
		["is kiln folk #12 a rare one", "token kiln folk #12"],
		["who do you know to hold kiln folk", "holders kiln folk"],
		["where is all the volume these days", "trending"],
		['what is the turnover of "life on mars" rn', 'volume "life on mars"'],
		["turnovr for kiln folk pls", "volume kiln folk"],
		["@tapeline kiln folk bottom?? 🔥", "floor kiln folk"],
		["kindly report the turnover of Quiet Lanterns please", "volume Quiet Lanterns"],
		["the whales in Wonky Whales, who are they", "holders Wonky Whales"],
		["kiln folk still above 2 eth?", "floor kiln folk"],
		["bottom of house of rust", "floor house of rust"],
		["is kiln folk 12 a rare one", "token kiln folk #12"],
		["bottom for normies 2049", "floor normies 2049"],
		["turnover of kiln folk, thirty-day", "volume kiln folk 30d"],
		["just bought a kiln folk, turnover this week?", "volume kiln folk 7d"],
		["i am new here. turnover of kiln folk?", "volume kiln folk"],
		["bottom of kiln folk that i can grab?", "floor kiln folk"],
	])("%s", (text, command) => {
		expect(printed(text)).toBe(command);
	});
});

describe("and is left unread where that is not one thing", () => {
	test.each([
		["two topics of equal strength", "turnover and whales of kiln folk"],
		["two names", "bottom of kiln folk or tidal cats"],
		["an order", "buy at the bottom of kiln folk"],
		["a denial", "don't want the bottom of kiln folk"],
		["a condition", "if kiln folk hits bottom"],
		["a value without a place", "bottom of kiln folk 7d"],
		["a name too long", "bottom of one2 two2 three2 four2 five2 six2"],
		["no name where one is needed", "is there a bottom"],
		["a topic that is only a name's neighbour", "kiln folk"],
		["a text of more than 24 words", `${"well ".repeat(24)}bottom kiln`],
		["two chains", "turnover of kiln on base on ethereum"],
		["another length of time", "turnover of kiln folk last 3 days"],
		["an amount of an order", "bottom of kiln folk for 0.5"],
		["a question for a way", "how do i profit from turnover of kiln folk"],
		["a forecast", "will kiln folk bottom drop"],
		["a second name in its own sentence", "turnover of kiln folk, tidal cats"],
		["an order in its own sentence", "turnover of kiln folk? sweep it all then"],
	])("%s: %s", (_, text) => {
		expect(printed(text)).toBeNull();
	});
});

test("words of a question are not taken for a name that a form would read", () => {
	expect(printed("kiln folk bottom price")).toBe("floor kiln folk");
	expect(printed("floor update kiln folk")).toBe("floor kiln folk");
	expect(printed("floor bottom")).toBe("floor bottom");
});

test("a command that moves something has no topic", () => {
	const first = commands.find(isStrict);
	const moving = { ...first, topic: { words: ["bottom"] } } as Command;
	expect(() => createGrammar([moving], options)).toThrow(AssertionFailed);
});
