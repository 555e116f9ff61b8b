import { expect, test } from "bun:test";
import { createGrammar } from "#agent/grammar/createGrammar.ts";
import { blindPhrasings, readAnotherWay } from "#test/agent/blindPhrasings.ts";
import { builtinCommands, builtinOptions, builtinTools } from "#test/agent/builtinCommands.ts";
import { freshPhrasings } from "#test/agent/freshPhrasings.ts";
import { groupPhrasings, readAsOtherNames } from "#test/agent/groupPhrasings.ts";
import { phrasings } from "#test/agent/phrasings.ts";

/** The share of questions that may be left to a model. */
const LEFT_OVER_MAX = 0.1;

const grammar = createGrammar(builtinCommands, builtinOptions);
const all = [...phrasings, ...freshPhrasings, ...blindPhrasings, ...groupPhrasings];

/** The command that the grammar makes of a text, as it is printed; null where it reads none. */
function readAs(text: string): string | null {
	const parsed = grammar.parse(text);
	return parsed.kind === "read" ? grammar.print(parsed.reading) : null;
}

test("what traders type is read as meant or not at all, nine market questions of ten without a model", () => {
	const wrong: string[] = [];
	const left: string[] = [];
	let questions = 0;
	for (const [text, meant] of all) {
		const read = readAs(text);
		if (read !== null && read !== meant) wrong.push(`${text} => ${read}, not ${meant}`);
		if (meant === null || !isOfMarket(meant)) continue;
		questions += 1;
		if (read === null) left.push(text);
	}
	expect(wrong).toEqual([]);
	expect(questions).toBeGreaterThan(500);
	if (left.length > questions * LEFT_OVER_MAX) expect(left).toEqual([]);
});

test("what is meant by a text is itself a command that is read as it stands", () => {
	for (const [, meant] of all) if (meant !== null) expect(readAs(meant)).toBe(meant);
});

test("what a person means in another way moves nothing of the market", () => {
	for (const [text, command] of [...readAnotherWay, ...readAsOtherNames])
		expect([text, readAs(text)]).toEqual([text, command]);
});

function isOfMarket(command: string): boolean {
	const parsed = grammar.parse(command);
	if (parsed.kind === "unread") return false;
	const { tool } = parsed.reading.command;
	return builtinTools.some(({ name, capability }) => name === tool && capability === "market");
}
