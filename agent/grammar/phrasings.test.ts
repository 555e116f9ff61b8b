import { expect, test } from "bun:test";
import { createGrammar } from "#agent/grammar/createGrammar.ts";
import { commands, isStrict } from "#agent/grammar/testing/commands.ts";
import { phrasings } from "#agent/grammar/testing/phrasings.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";

const grammar = createGrammar(commands, { isStrict, chains: createChainRegistry(builtinChains) });

/** The share of questions that may be left to a model. */
const LEFT_OVER_MAX = 0.1;

test("what traders type is read as meant, nine questions of ten at least without a model", () => {
	expect(phrasings.length).toBeGreaterThanOrEqual(150);
	const wrong: string[] = [];
	const left: string[] = [];
	for (const [text, meant] of phrasings) {
		const parsed = grammar.parse(text);
		const read = parsed.kind === "read" ? grammar.print(parsed.reading) : null;
		if (read === null && meant !== null) left.push(text);
		else if (read !== meant) wrong.push(`${text} => ${read}, not ${meant}`);
	}
	expect(wrong).toEqual([]);
	const questions = phrasings.filter(([, meant]) => meant !== null);
	if (left.length > questions.length * LEFT_OVER_MAX) expect(left).toEqual([]);
});
