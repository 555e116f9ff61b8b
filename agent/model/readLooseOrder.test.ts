import { expect, test } from "bun:test";
import { createGrammar } from "#agent/grammar/Grammar.ts";
import { readLooseOrder } from "#agent/model/readLooseOrder.ts";
import { builtinCommands, builtinOptions } from "#test/agent/builtinCommands.ts";

// Guarantee: politeness around a whole command changes nothing; any other word does.

const grammar = createGrammar(builtinCommands, builtinOptions);
const ALICE = `0x${"a1".repeat(20)}`;

function readAs(text: string): string | null {
	const reading = readLooseOrder(text, { grammar, rules: builtinOptions });
	return reading && grammar.print(reading);
}

test.each([
	["please buy 2 tsla!!", "buy 2 TSLA"],
	["hey, could you sell half of my TSLA please?", "sell half TSLA"],
	[`pls send 0.1 eth to ${ALICE}, thanks`, `send 0.1 eth to ${ALICE}`],
])("%s is %s", (text, command) => {
	expect(readAs(text)).toBe(command);
});

test.each([
	"do not buy 2 tsla",
	"should i buy 2 tsla?",
	"he said buy 2 tsla",
	"please buy 2 tsla if it dips",
	"please buy 2 tsla tomorrow",
	"please buy 2 tsla, sell 1 aapl",
	"please buy two tsla",
	"what is the azuki floor",
	"",
])("%s is none", (text) => {
	expect(readAs(text)).toBeNull();
});
