import { describe, expect, test } from "bun:test";
import { createGrammar } from "#agent/grammar/Grammar.ts";
import { commands, isStrict } from "#agent/grammar/testing/commands.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { type Command, type KnownName, NAMES_ASKED_MAX, type Topic } from "#core/plugin/Tool.ts";

// Guarantee: a question is read by the names that somebody knows, where its words alone say less,
// and a name never changes what they say alone.

const topics: Readonly<Record<string, Topic>> = {
	floor: { words: ["floor", "price", "going for"], takesPrice: true },
	volume: { words: ["volume", "traded"], over: ["floor"] },
	summary: { words: ["how … doing"], ofName: true },
	stock: { words: ["price", "open"], ofTicker: true },
};
const grammar = createGrammar(
	commands.map((command): Command => {
		const topic = topics[command.name];
		return topic ? { ...command, topic } : command;
	}),
	{ isStrict, chains: createChainRegistry(builtinChains) },
);

function printed(text: string, known: readonly string[], tickers: readonly string[] = []) {
	const names = new Map<string, KnownName>();
	for (const name of known) names.set(name, { kind: "collection" });
	for (const name of tickers) names.set(name, { kind: "asset", ticker: name.toUpperCase() });
	const asked = grammar.namesIn(text);
	const found = new Map([...names].filter(([name]) => asked.includes(name)));
	const parsed = grammar.parse(text, found);
	return parsed.kind === "read" ? grammar.print(parsed.reading) : null;
}

describe("a known name is read as one", () => {
	test.each([
		["usual words", "traded volume bad idea club", "bad idea club", "volume bad idea club"],
		["words of a sentence", "rent is due floor?", "rent is due", "floor rent is due"],
		[
			"an and in it",
			"how much is salt and signal going for",
			"salt and signal",
			"floor salt and signal",
		],
		["an article", "floor on the last lamp", "the last lamp", "floor the last lamp"],
		["as it was typed", "gm, Rent Is Due price", "rent is due", "floor Rent Is Due"],
		["with 's", "rent is due's price please", "rent is due", "floor rent is due"],
		["alone", "show me quiet hours", "quiet hours", "summary quiet hours"],
		[
			"with its chain",
			"price, rent is due, eth side",
			"rent is due",
			"floor rent is due on ethereum",
		],
		[
			"beside talk",
			"my cousin traded rent is due, what's the price",
			"rent is due",
			"floor rent is due",
		],
		[
			"in an earlier sentence",
			"been watching rent is due on base. what is the price",
			"rent is due",
			"floor rent is due on base",
		],
	])("%s", (_, text, name, command) => {
		expect(printed(text, [])?.replaceAll('"', "")).not.toBe(command);
		expect(printed(text, [name])?.replaceAll('"', "")).toBe(command);
	});
});

describe("a ticker is read as a share", () => {
	test.each([
		["nvda price", "stock NVDA"],
		["NVDA now?", "stock NVDA"],
		["is nvda open", "stock NVDA"],
	])("%s", (text, command) => {
		expect(printed(text, [], ["nvda"])).toBe(command.replace("stock", "quote"));
	});

	test("but not where something is asked that a share has not", () => {
		expect(printed("volume of nvda please", [], ["nvda"])).toBe("volume nvda");
	});
});

describe("a name that somebody made of a question changes nothing", () => {
	test.each([
		["whose name is known", "price of azuki please", ["price of azuki", "azuki"], "floor azuki"],
		["in printed form", "floor azuki", ["floor azuki"], "floor azuki"],
		[
			"of words that ask",
			"traded volume of azuki please",
			["traded volume", "azuki"],
			"volume azuki",
		],
		[
			"a usual word",
			"what is the floor of azuki right now",
			["floor", "now", "what", "azuki"],
			"floor azuki",
		],
	])("%s", (_, text, known, command) => {
		expect(printed(text, known)).toBe(command);
	});
});

describe("a known name changes nothing of", () => {
	test.each([
		["an order", "please sell azuki. what is the floor"],
		["an order for one", "ok buy one azuki, what is the floor"],
		["an order as a thing", "i need a buy on azuki floor"],
		["an order under a condition", "if i say so buy azuki at whatever floor is"],
		["a wish to be told", "remind me when azuki dips. what is the floor"],
		["a number in words", "azuki number twelve, what is the floor"],
	])("%s", (_, text) => {
		expect(printed(text, [])).toBeNull();
		expect(printed(text, ["azuki"])).toBeNull();
	});

	test.each([
		["a chain", "azuki, base chain. what is the floor", "floor azuki on base"],
		["a time", "i need it for the past week. what is azuki volume", "volume azuki 7d"],
	])("%s in another sentence", (_, text, command) => {
		expect(printed(text, ["azuki"])).toBe(command);
	});

	test("a greeting", () => {
		const text = "hi dear friends, what is the floor of azuki";
		expect(printed(text, ["dear friends"])).toBe("floor azuki");
	});

	test.each(["price of the shell nft", "floor price of shell", "shell collection price"])(
		"%s, which is about no share",
		(text) => expect(printed(text, [], ["shell"])).toBe(printed(text, [])),
	);
});

test("a malformed address or an id is no name, whoever took it for one", () => {
	const address = "0xAbCdEf0123456789aBcDeF0123456789AbCdEf01";
	expect(printed(`floor of ${address} please`, [address.toLowerCase()])).toBeNull();
});

describe("names are asked for", () => {
	test("of no text that moves value, is in printed form, in quotes, or refused as a whole", () => {
		for (const text of [
			"sell 2 AAPL",
			"floor kiln folk",
			"Floor kiln folk?",
			'price of "kiln folk" please',
			"price of аzuki",
			"",
		]) {
			expect([text, grammar.namesIn(text)]).toEqual([text, []]);
		}
	});

	test("once each, in lower case, and at most so many", () => {
		const text = Array.from({ length: 40 }, (_, n) => `Word${n}`).join(" ");
		const asked = grammar.namesIn(text);
		expect(new Set(asked).size).toBe(asked.length);
		expect(asked).toContain("word1 word2 word3");
		expect(asked.length).toBeLessThanOrEqual(NAMES_ASKED_MAX);
		expect(grammar.namesIn(`${text} one more`)).toEqual([]);
	});
});
