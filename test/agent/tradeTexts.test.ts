import { expect, test } from "bun:test";
import { createGrammar } from "#agent/grammar/Grammar.ts";
import { NONE, WISHES } from "#plugins/trading/testing/tradeTexts.ts";
import { builtinCommands, builtinOptions } from "#test/agent/builtinCommands.ts";

// Guarantee: what a trade's route reads as a command, the agent reads as one, and nothing else.

const grammar = createGrammar(builtinCommands, builtinOptions);
const TRADES = new Set(
	"buy_stock_with buy_dollars buy_stock buy_shares sell_shares sell_stock swap_stock hold_stock".split(
		" ",
	),
);

test("the agent's grammar reads exactly the texts that the trade grammar reads as trades", () => {
	for (const [text] of WISHES) {
		const parsed = grammar.parse(text);
		const name = parsed.kind === "read" ? parsed.reading.command.name : parsed.detail;
		expect([text, TRADES.has(name)]).toEqual([text, true]);
	}
	for (const text of NONE) {
		const parsed = grammar.parse(text);
		const isTrade = parsed.kind === "read" && TRADES.has(parsed.reading.command.name);
		// A tab between words is a blank to the agent.
		if (text.includes("\t")) continue;
		expect([text, isTrade]).toEqual([text, false]);
	}
});
