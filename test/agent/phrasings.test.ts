import { describe, expect, test } from "bun:test";
import { createGrammar } from "#agent/grammar/Grammar.ts";
import type { KnownName } from "#core/plugin/Tool.ts";
import { blindPhrasings, readAnotherWay } from "#test/agent/blindPhrasings.ts";
import { builtinCommands, builtinOptions } from "#test/agent/builtinCommands.ts";
import { chatPhrasings } from "#test/agent/chatPhrasings.ts";
import { crowdNames, crowdQuestions } from "#test/agent/crowdQuestions.ts";
import { freshPhrasings } from "#test/agent/freshPhrasings.ts";
import { groupPhrasings, readAsOtherNames } from "#test/agent/groupPhrasings.ts";
import {
	isOfMarket,
	judge,
	meaningIn as meant,
	namesOf,
	readWith,
} from "#test/agent/judgeTexts.ts";
import { fToI, fToIMisread } from "#test/agent/named/fToI.ts";
import { jToM, jToMMisread } from "#test/agent/named/jToM.ts";
import { nToP, nToPMisread } from "#test/agent/named/nToP.ts";
import { qToS, qToSMisread } from "#test/agent/named/qToS.ts";
import { tToW, tToWMisread } from "#test/agent/named/tToW.ts";
import { xToZ } from "#test/agent/named/xToZ.ts";
import { phrasings } from "#test/agent/phrasings.ts";

/**
 * The least share of market questions that is read without a model. Precision goes before it: the
 * share is raised only by what answers the question that was asked.
 */
const READ_MIN = 0.5;
/** The shares of what is in scope that people who saw no commands have a right to. */
const CROWD_READ_MIN = 0.75;
const CROWD_NOTED_MAX = 0.1;

const grammar = createGrammar(builtinCommands, builtinOptions);
const unnamed = [
	...phrasings,
	...freshPhrasings,
	...blindPhrasings,
	...groupPhrasings,
	...chatPhrasings,
];
const named = [...fToI, ...jToM, ...nToP, ...qToS, ...tToW, ...xToZ];
const all = [...unnamed, ...named, ...crowdQuestions];

const readAlone = readWith(namesOf(unnamed), true);
const readNamed = readWith(namesOf(named));

describe.each([
	["by its words alone", unnamed, readAlone],
	["with the names that a service knows", unnamed, readWith(namesOf(unnamed))],
	["with the names that a service knows, later groups", named, readNamed],
] as const)("%s", (kind, texts, read) => {
	test("texts of traders are read with the right meaning, asked back, or not read", () => {
		expect(judge(texts, read).wrong).toEqual([]);
		const market = texts.filter(([, command]) => command !== null && isOfMarket(command));
		const { asMeant, questions } = judge(market, read);
		expect(questions).toBeGreaterThan(500);
		console.info(`${kind}: ${asMeant} of ${questions} market questions are read without a model`);
		expect(asMeant).toBeGreaterThan(questions * READ_MIN);
	});
});

test("questions of people who saw no commands are read as meant, or not answered", () => {
	const names = new Map<string, KnownName>(namesOf(crowdQuestions));
	for (const name of crowdNames) names.set(name, { kind: "collection" });
	const { inScope, asMeant, noted, wrong } = judge(crowdQuestions, readWith(names));
	console.info(`of people who saw no commands: ${asMeant} of ${inScope}, ${noted} with a note`);
	expect(wrong).toEqual([]);
	expect(asMeant).toBeGreaterThanOrEqual(inScope * CROWD_READ_MIN);
	expect(noted).toBeLessThanOrEqual(inScope * CROWD_NOTED_MAX);
});

test("the meaning that is noted for each text is itself a readable command", () => {
	for (const [, command] of all)
		if (command !== null) expect([command, meant(command)]).not.toEqual([command, null]);
});

test("a text with another meaning is read as before, or not at all, and moves nothing", () => {
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
])("a ticker without its sign is a stock if the registry has it: %s", (text, command) => {
	expect(readNamed(text)).toEqual({ read: meant(command) ?? "", leftOut: null });
});

test("a collection named like other words of a text never replaces the one in the text", () => {
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
