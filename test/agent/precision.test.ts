import { describe, expect, test } from "bun:test";
import { createGrammar, type Parsed } from "#agent/grammar/Grammar.ts";
import { readLooseOrder } from "#agent/model/isOwnOrder.ts";
import type { KnownName } from "#core/plugin/Tool.ts";
import { builtinCommands, builtinOptions } from "#test/agent/builtinCommands.ts";
import { knownNames, lookalikes } from "#test/agent/lookalikeNames.ts";
import { narrowedNames, narrowedQuestions } from "#test/agent/narrowedQuestions.ts";
import { notOrders, trickyQuestions } from "#test/agent/trickyTexts.ts";

// Guarantee: a question is answered when every word of it is accounted for. What narrows it in a
// way that no command has is named as left out; a name that only resembles another is asked back.

const grammar = createGrammar(builtinCommands, builtinOptions);

function readWith(
	text: string,
	names: readonly string[],
	tickers: Readonly<Record<string, string>> = {},
): Parsed {
	const asked = grammar.namesIn(text);
	const known: [string, KnownName][] = [
		...names.map((name): [string, KnownName] => [name, COLLECTION]),
		...Object.entries(tickers).map(([name, ticker]): [string, KnownName] => [
			name,
			{ kind: "asset", ticker },
		]),
	];
	return grammar.parse(text, new Map(known.filter(([name]) => asked.includes(name))));
}
const COLLECTION: KnownName = { kind: "collection" };

test("a question with an unsupported restriction is unread, asked back, or answered with a note", () => {
	expect(narrowedQuestions.length).toBeGreaterThanOrEqual(300);
	const silent = narrowedQuestions.filter((text) => {
		const parsed = readWith(text, narrowedNames);
		return parsed.kind === "read" && parsed.leftOut === null && !parsed.isGuess;
	});
	expect(silent).toEqual([]);
});

test("a question that only resembles one of ours gets no figure in silence", () => {
	expect(trickyQuestions.length).toBeGreaterThanOrEqual(300);
	const silent = trickyQuestions.filter((text) => {
		const parsed = readWith(text, ["kiln folk", "night ferry"], { tesla: "TSLA", amd: "AMD" });
		return parsed.kind === "read" && parsed.leftOut === null && !parsed.isGuess;
	});
	expect(silent).toEqual([]);
});

test("a text that only has an order in it orders nothing", () => {
	expect(notOrders.length).toBeGreaterThanOrEqual(60);
	const { isStrict, chains } = builtinOptions;
	const orders = notOrders.filter((text) => {
		const parsed = grammar.parse(text);
		const isWhole = parsed.kind === "read" && isStrict(parsed.reading.command);
		return isWhole || readLooseOrder(text, { grammar, rules: { chains, isStrict } }) !== null;
	});
	expect(orders).toEqual([]);
});

describe.each([
	"floor {name}",
	"{name} floor",
	"what's the floor of {name}?",
	"how many holders does {name} have",
])("%s", (form) => {
	test("a look-alike name never gets another collection's figure", () => {
		expect(lookalikes.length).toBeGreaterThanOrEqual(300);
		const wrong = lookalikes.filter(([typed, known]) => {
			const parsed = readWith(form.replace("{name}", typed), knownNames);
			if (parsed.kind === "unread") return false;
			return parsed.reading.values["collection"]?.toLowerCase() === known || !parsed.isGuess;
		});
		expect(wrong).toEqual([]);
	});
});

test.each([
	["what's everyone buying", "trending"],
	["volume kiln-folk 1h", "volume kiln-folk 1h"],
	["volume kiln-folk", "volume kiln-folk"],
])("each example question of the documentation is read: %s", (text, command) => {
	const parsed = readWith(text, ["kiln-folk"]);
	if (parsed.kind === "unread") throw new Error(parsed.detail);
	expect([grammar.print(parsed.reading), parsed.leftOut]).toEqual([command, null]);
});

test.each([
	["kiln folk floor yesterday at 2pm", "floor kiln folk yesterday-14:00-utc"],
	["what was the floor of kiln folk last week", "floor kiln folk 7d"],
	["kiln folk floor 3 hours ago", "floor kiln folk 3h-ago"],
	["kiln folk floor today", "floor kiln folk"],
	["kiln folk volume in october", "volume kiln folk october-utc"],
	["kiln folk volume october 2026", "volume kiln folk 2026-10"],
	["kiln folk volume in the last half hour", "volume kiln folk 30m"],
	["kiln folk volume last 3 days", "volume kiln folk 3d"],
	["how many kiln folk sold on 14 october", "sold kiln folk october-14-utc"],
	["average price of kiln folk this week", "prices kiln folk 7d"],
	["what did kiln folk #5 last sell for", "last sale #5 of kiln folk"],
	["kiln folk #5 listing price", "listing #5 of kiln folk"],
	["is kiln folk #5 listed", "listing #5 of kiln folk"],
	["who owns kiln folk #5", "token #5 of kiln folk"],
	["kiln folk floor with gold frame", "trait floor kiln folk with gold frame"],
	["floor of kiln folk with background gold", "trait floor kiln folk with background gold"],
	["cheapest kiln folk wearing a crown", "trait floor kiln folk with crown"],
	["top losers today", "losers 24h"],
	["biggest gainers this week on base", "gainers 7d on base"],
	["trending by volume", "most volume"],
	["what did i spend this week", "my spending 7d"],
	["my orders yesterday", "my intents yesterday-utc"],
	["my pending orders", "my open intents"],
	["my trades this week", "my trades 7d"],
	["what did i trade yesterday", "my trades yesterday-utc"],
	["anything minting right now", "minting"],
	["kiln folk volume 7d, base only", "volume kiln folk 7d on base"],
	["top collections by 24h volume", "most volume 24h"],
	["which nft is go up today", "gainers 24h"],
	["who owns number 5 of kiln folk", "token #5 of kiln folk"],
	["good evening, kiln folk floor", "floor kiln folk"],
	["how many items are in the kiln folk colection", "collection kiln folk"],
	["volume leaders 7d", "most volume 7d"],
	["kiln folk floor and volume", "collection kiln folk"],
	["rarest traits of kiln folk", "traits kiln folk"],
	["kiln folk floor, the base one", "floor kiln folk on base"],
	["my kiln folk floor", "floor kiln folk"],
	["kiln folk floor in dollars", "floor kiln folk"],
	["kiln folk floor usd", "floor kiln folk"],
])("a narrower question gets the command for exactly that question: %s", (text, command) => {
	const parsed = readWith(text, ["kiln folk"]);
	if (parsed.kind === "unread") throw new Error(parsed.detail);
	expect([grammar.print(parsed.reading), parsed.leftOut]).toEqual([command, null]);
});

test.each([
	["kiln folk holders with gold frame", "holders kiln folk", "gold frame"],
	["kiln folk volume on blur", "volume kiln folk", "blur"],
	["floor of kiln folk in yen", "floor kiln folk", "yen"],
])("words that the answer ignores are named: %s", (text, command, leftOut) => {
	const parsed = readWith(text, ["kiln folk"]);
	if (parsed.kind === "unread") throw new Error(parsed.detail);
	expect([grammar.print(parsed.reading), parsed.leftOut]).toEqual([command, leftOut]);
});

test.each([
	"any reveals today?",
	"reveals this week",
	"how many kiln folk do i have left to mint",
	"how many kiln folk i have to sell",
	"which stocks did i buy",
	"which stocks did i trade",
	"what did i mint today",
	"how can i mint",
	"who has tsla shares",
	"how much would kiln folk #5 go for",
	"did kiln folk #5 sell yesterday",
	"is kiln folk floor stable",
	"kiln folk only floor",
	"only kiln folk floor",
	"what percent of kiln folk is listed under 1 eth",
	"spread between floor and gold floor kiln folk",
	"all the gold traits of kiln folk",
	"volume by day kiln folk",
	"what collections lost the most volume today",
	"which nft will go up today",
	"most expensive kiln folk listed",
	"cheapest rank under 50 kiln folk",
	"kiln folk any listing under 2",
	"kiln folk floor without gold",
	"upcoming mints tomorrow",
	"upcoming mints today",
	"who bought kiln folk",
	"gold frame floor of kiln folk",
	"i have kiln folk and night ferry, floor",
	"kiln folk floor please buy one",
	"kiln folk floor when it drops",
])("a question for an unsupported figure is unread, and gets no wrong answer: %s", (text) => {
	expect(readWith(text, ["kiln folk", "night ferry"]).kind).toBe("unread");
});
