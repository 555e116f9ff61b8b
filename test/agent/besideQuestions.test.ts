import { describe, expect, test } from "bun:test";
import { createGrammar } from "#agent/grammar/Grammar.ts";
import type { KnownName } from "#core/plugin/Tool.ts";
import { builtinCommands, builtinOptions } from "#test/agent/builtinCommands.ts";

// Guarantee: what stands beside a question is never left out in silence. An order, a condition or a
// wish to be told is not answered as a question, and what narrows it is kept.

const grammar = createGrammar(builtinCommands, builtinOptions);
const known = new Map<string, KnownName>([
	["azuki", { kind: "collection" }],
	["doodles", { kind: "collection" }],
	["tsla", { kind: "asset", ticker: "TSLA" }],
]);

/** What is answered in silence: not what is asked back, nor what says what it leaves out. */
function readAs(text: string): string | null {
	const asked = grammar.namesIn(text);
	const parsed = grammar.parse(text, new Map([...known].filter(([name]) => asked.includes(name))));
	if (parsed.kind === "unread" || parsed.leftOut !== null || parsed.isGuess) return null;
	return grammar.print(parsed.reading);
}

describe("a text that is not only a question is unread, or the answer names what it leaves out", () => {
	test.each([
		"please sell azuki. what is the floor",
		"azuki floor? please buy one",
		"azuki floor? you can buy one for me",
		"azuki floor. go ahead and purchase one",
		"what is the azuki floor. purchase one",
		"azuki floor? i want to sell mine for 2 eth",
		"azuki floor? don't sell mine",
		"azuki floor? someone should sell mine",
		"the order is to sell mine. azuki floor",
		"i want you to sell my azuki. what is the floor",
		"what volume did azuki do and buy one",
		"did azuki mint out yet and buy one",
		"could you just buy azuki at floor",
		"can we just sweep azuki floor",
		"i need you to buy azuki floor",
		"you have permission to sell azuki at floor price",
		"list mine at the azuki floor",
		"before you decide to sell, sell azuki at what the floor is",
		"if i say so buy azuki at whatever floor is",
		"if i wanna buy azuki do it where floor is",
		"set a buy order on azuki at the floor",
		"do a sweep of azuki floor",
		"get my brother one azuki at floor",
		"get me one azuki",
		"i'd like one azuki at floor",
		"are you able to sell azuki at floor",
		"open a long on tsla",
		"go short tsla now",
		"tsla market order",
		"watch azuki",
		"tell me when azuki floor? i mean tell me when it moves",
		"azuki floor. tell me when it changes",
		"azuki floor when it changes",
		"remind me when azuki dips. what is the floor",
		"azuki floor? i'd like an email if it dumps",
		"azuki floor? i want to hear when it hits 2",
		"floor of azuki, i want doodles too",
		"azuki number twelve, what is the floor",
		"azuki. spirit type. what is the floor",
		"how much for one azuki number 77",
	])("%s", (text) => {
		expect(readAs(text)).toBeNull();
	});
});

test.each([
	["azuki floor? it's the base one", "floor azuki on base"],
	["it's for base, azuki floor", "floor azuki on base"],
	["azuki, base chain. what is the floor", "floor azuki on base"],
	["i need it for the past week. what is azuki volume", "volume azuki 7d"],
	["azuki volume? i'm asking for the last week", "volume azuki 7d"],
	["azuki volume. i mean the 7d one", "volume azuki 7d"],
	["they're asking for 30d, azuki volume", "volume azuki 30d"],
	["what is azuki worth? i'm asking about 4411", "token #4411 of azuki"],
	["the token is 4411. what is azuki worth", "token #4411 of azuki"],
	["azuki floor? i also want volume", "collection azuki"],
])("words that narrow a question are in the command: %s", (text, command) => {
	expect([command, null]).toContain(readAs(text));
});

test.each([
	["azuki floor? i got liquidated out of mine and want back in", "floor azuki"],
	["what did the last azuki go for? i'm trying to price mine", "sales azuki"],
	["azuki floor? just trying to work out if i'm up or down", "floor azuki"],
	["how liquid is azuki, i don't wanna get stuck holding the bag", "depth azuki"],
	["give me the rundown on azuki, someone's trying to sell me a pile of them", "collection azuki"],
	["who owns number 212 of azuki, i wanna make an offer", "token #212 of azuki"],
	["my cousin minted azuki, what stage is it in", "lifecycle azuki"],
	["i have not looked at azuki for a year, how is the collection getting on", "collection azuki"],
	["hello from brazil! how much eth for the cheapest azuki", "floor azuki"],
	["bom dia! floor of azuki, por favor", "floor azuki"],
])("words that only add information do not change the answer: %s", (text, command) => {
	expect([command, null]).toContain(readAs(text));
});
