import { describe, expect, test } from "bun:test";
import { createGrammar } from "#agent/grammar/Grammar.ts";
import type { KnownName } from "#core/plugin/Tool.ts";
import { blindPhrasings, readAnotherWay } from "#test/agent/blindPhrasings.ts";
import { builtinCommands, builtinOptions, builtinTools } from "#test/agent/builtinCommands.ts";
import { chatPhrasings } from "#test/agent/chatPhrasings.ts";
import { freshPhrasings } from "#test/agent/freshPhrasings.ts";
import { groupPhrasings, readAsOtherNames } from "#test/agent/groupPhrasings.ts";
import { fToI, fToIMisread } from "#test/agent/named/fToI.ts";
import { jToM, jToMMisread } from "#test/agent/named/jToM.ts";
import { nToP, nToPMisread } from "#test/agent/named/nToP.ts";
import { qToS, qToSMisread } from "#test/agent/named/qToS.ts";
import { tToW, tToWMisread } from "#test/agent/named/tToW.ts";
import { phrasings } from "#test/agent/phrasings.ts";
import { stocks } from "#test/sandbox/stocks/stockCatalogue.ts";

/** The share of questions that may be left to a model. */
const LEFT_OVER_MAX = 0.1;

const grammar = createGrammar(builtinCommands, builtinOptions);
const unnamed = [
	...phrasings,
	...freshPhrasings,
	...blindPhrasings,
	...groupPhrasings,
	...chatPhrasings,
];
const named = [...fToI, ...jToM, ...nToP, ...qToS, ...tToW];
const all = [...unnamed, ...named];

/** The command that the grammar makes of a text, as it is printed; null where it reads none. */
function readAs(text: string): string | null {
	const parsed = grammar.parse(text);
	return parsed.kind === "read" ? grammar.print(parsed.reading) : null;
}

/** The same where a service knows the names of all collections and shares in the texts. */
function readWith(names: ReadonlyMap<string, KnownName>): (text: string) => string | null {
	return (text) => {
		const asked = grammar.namesIn(text);
		const known = new Map([...names].filter(([name]) => asked.includes(name)));
		const parsed = grammar.parse(text, known);
		return parsed.kind === "read" ? grammar.print(parsed.reading) : null;
	};
}
const readNamed = readWith(namesOf(named));

describe.each([
	["by its words alone", unnamed, readAs],
	["with the names that a service knows", unnamed, readWith(namesOf(unnamed))],
	["with the names that a service knows, later groups", named, readNamed],
] as const)("%s", (_, texts, read) => {
	test("what traders type is read as meant or not at all, nine market questions of ten without a model", () => {
		const wrong: string[] = [];
		const left: string[] = [];
		let questions = 0;
		for (const [text, meant] of texts) {
			const got = read(text);
			if (got !== null && got.toLowerCase() !== meant?.toLowerCase())
				wrong.push(`${text} => ${got}, not ${meant}`);
			if (meant === null || !isOfMarket(meant)) continue;
			questions += 1;
			if (got === null) left.push(text);
		}
		expect(wrong).toEqual([]);
		expect(questions).toBeGreaterThan(500);
		if (left.length > questions * LEFT_OVER_MAX) expect(left).toEqual([]);
	});
});

test("what is meant by a text is itself a command that is read as it stands", () => {
	for (const [, meant] of all) if (meant !== null) expect(readAs(meant)).toBe(meant);
});

test("what a person means in another way moves nothing of the market", () => {
	for (const [text, command] of [...readAnotherWay, ...readAsOtherNames])
		expect([text, readAs(text)]).toEqual([text, command]);
	for (const [text, command] of [
		...fToIMisread,
		...jToMMisread,
		...nToPMisread,
		...qToSMisread,
		...tToWMisread,
	])
		expect([text, readNamed(text)]).toEqual([text, command]);
});

test.each([
	["whats tsla at on chain", "stock TSLA"],
	["nvda price?", "stock NVDA"],
	["aapl at what", "stock AAPL"],
	["tsla token price", "stock TSLA"],
	["is nvda open or closed now", "stock NVDA"],
	["hey hey AAPL where we at 🍎", "stock AAPL"],
	["whats AAPL at onchain", "stock AAPL"],
	["tsla price on robinhood chain?", "stock TSLA"],
	["how much is one apple stock token", "stock AAPL"],
])("a ticker without its sign is a share where the registry has it: %s", (text, command) => {
	expect(readNamed(text)).toBe(command);
});

test("a collection that is named after other words of a text never takes the place of the one in it", () => {
	const names = namesOf(named);
	const wrong: string[] = [];
	let tried = 0;
	for (const [text] of named) {
		const asked = grammar.namesIn(text);
		const own = new Map([...names].filter(([name]) => asked.includes(name)));
		const meant = collectionIn(text, own);
		if (meant === undefined || !own.has(meant.toLowerCase())) continue;
		const words = meant.toLowerCase().split(" ");
		for (const name of asked) {
			if (name.split(" ").some((word) => words.includes(word))) continue;
			tried += 1;
			const got = collectionIn(text, new Map([...own, [name, { kind: "collection" }]]));
			if (got !== undefined && got !== meant) wrong.push(`${text} + ${name} => ${got}`);
		}
	}
	expect(wrong).toEqual([]);
	expect(tried).toBeGreaterThan(3_000);
});

function collectionIn(text: string, names: ReadonlyMap<string, KnownName>): string | undefined {
	const parsed = grammar.parse(text, names);
	return parsed.kind === "read" ? parsed.reading.values.collection : undefined;
}

function isOfMarket(command: string): boolean {
	const parsed = grammar.parse(command);
	if (parsed.kind === "unread") return false;
	const { tool } = parsed.reading.command;
	return builtinTools.some(({ name, capability }) => name === tool && capability === "market");
}

/** The names of collections in the commands, and the shares of the sandbox with their companies. */
function namesOf(texts: readonly (readonly [string, string | null])[]): Map<string, KnownName> {
	const known = new Map<string, KnownName>();
	for (const [, meant] of texts) {
		const parsed = meant === null ? undefined : grammar.parse(meant);
		const { collection: value, asset } = parsed?.kind === "read" ? parsed.reading.values : {};
		if (asset) known.set(asset.toLowerCase(), { kind: "asset", ticker: asset });
		if (value) known.set(value.toLowerCase(), { kind: "collection" });
	}
	for (const { ticker, name } of stocks) {
		for (const text of [ticker, name]) known.set(text.toLowerCase(), { kind: "asset", ticker });
	}
	return known;
}
