import { describe, expect, test } from "bun:test";
import { createGrammar, type Reading } from "#agent/grammar/Grammar.ts";
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

/**
 * The least share of market questions that is read without a model. Precision goes before it: the
 * share is raised only by what answers the question that was asked.
 */
const READ_MIN = 0.5;

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

/**
 * What becomes of a text: `read` as this command; `asked` back, because no collection has the name
 * that was read in it; null where it is not read.
 */
type Outcome = { read: string } | { asked: string } | null;
type Read = (text: string) => Outcome;

function readWith(names: ReadonlyMap<string, KnownName>, isBare = false): Read {
	return (text) => {
		const asked = isBare ? [] : grammar.namesIn(text);
		const parsed = grammar.parse(
			text,
			new Map([...names].filter(([name]) => asked.includes(name))),
		);
		if (parsed.kind === "unread") return null;
		const { collection, query } = parsed.reading.values;
		const isKnown = names.get((collection ?? query ?? "").toLowerCase())?.kind === "collection";
		const command = meaningOf(parsed.reading);
		return parsed.isGuess && !isKnown ? { asked: command } : { read: command };
	};
}

/**
 * The same text for two commands that have the same answer: `ended drops`, `drops ended`; a name
 * with and without its article, as whoever resolves it tries both.
 */
function meaningOf({ command, values }: Reading): string {
	const { name, tool } = command;
	const window = name === "trending" ? { window: "24h" } : {};
	const input = command.input?.(values) ?? { ...window, ...values };
	const named = Object.entries(input as object).toSorted(([one], [other]) =>
		one < other ? -1 : 1,
	);
	return JSON.stringify([tool === "read_drops" ? tool : name, named])
		.toLowerCase()
		.replace('"the ', '"');
}

/** The meaning of a command; null for none. */
function meant(command: string | null): string | null {
	const parsed = command === null ? undefined : grammar.parse(command);
	return parsed?.kind === "read" ? meaningOf(parsed.reading) : null;
}

const readAlone = readWith(namesOf(unnamed), true);
const readNamed = readWith(namesOf(named));

describe.each([
	["by its words alone", unnamed, readAlone],
	["with the names that a service knows", unnamed, readWith(namesOf(unnamed))],
	["with the names that a service knows, later groups", named, readNamed],
] as const)("%s", (kind, texts, read) => {
	test("texts of traders are read as meant, asked back, or not read at all", () => {
		const wrong: string[] = [];
		let questions = 0;
		let asMeant = 0;
		for (const [text, command] of texts) {
			const got = read(text);
			const means = meant(command);
			if (got && "read" in got && got.read !== means)
				wrong.push(`${text} => ${got.read}, not ${command}`);
			if (command === null || !isOfMarket(command)) continue;
			questions += 1;
			if (got && "read" in got) asMeant += 1;
		}
		expect(wrong).toEqual([]);
		expect(questions).toBeGreaterThan(500);
		console.info(`${kind}: ${asMeant} of ${questions} market questions are read without a model`);
		expect(asMeant).toBeGreaterThan(questions * READ_MIN);
	});
});

test("the meaning that is noted for each text is itself a readable command", () => {
	for (const [, command] of all)
		if (command !== null) expect([command, meant(command)]).not.toEqual([command, null]);
});

test("a text that people mean in another way is read as before, or not at all, and moves nothing", () => {
	const before = [
		...[...readAnotherWay, ...readAsOtherNames].map((one) => [readAlone, ...one] as const),
		...[...fToIMisread, ...jToMMisread, ...nToPMisread, ...qToSMisread, ...tToWMisread].map(
			(one) => [readNamed, ...one] as const,
		),
	];
	for (const [read, text, command] of before) {
		const got = read(text);
		if (got && "read" in got) expect([text, got.read]).toEqual([text, meant(command) ?? ""]);
	}
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
	expect(readNamed(text)).toEqual({ read: meant(command) ?? "" });
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
