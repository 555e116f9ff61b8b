import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createGrammar } from "#agent/grammar/Grammar.ts";
import { arbitraryReading } from "#agent/grammar/testing/arbitraryReading.ts";
import { generateTexts } from "#agent/grammar/testing/generateTexts.ts";
import { overlapsOf } from "#agent/grammar/testing/overlapsOf.ts";
import { readersOf } from "#agent/grammar/testing/readersOf.ts";
import { strictPattern } from "#agent/grammar/testing/strictPattern.ts";
import { quotesAuthor } from "#agent/model/isFaithful.ts";
import { refuseMisfits } from "#agent/openAgent.ts";
import { builtinCommands, builtinOptions, builtinTools } from "#test/agent/builtinCommands.ts";

// Guarantee: the commands of all plugins together are one grammar. A text means one of them or
// none, and what moves something is read word for word.

const { isStrict } = builtinOptions;
const grammar = createGrammar(builtinCommands, builtinOptions);
const SEED = 30;
const COUNT = 100_000;
/** A twentieth of what each command would have if all had the same. */
const LEAST = COUNT / builtinCommands.length / 20;

test("all commands and tools fit together", () => {
	expect(() => refuseMisfits(builtinTools, builtinCommands)).not.toThrow();
	expect(builtinCommands.filter(isStrict).map(({ name }) => name)).toEqual([
		"cancel",
		"send",
		"buy_nft",
		"buy_cheapest_nft",
		"snipe",
		"pause_plan",
		"resume_plan",
		"cancel_plan",
		"bridge",
		"cancel_bridge",
		"buy_stock_with",
		"buy_dollars",
		"buy_stock",
		"buy_shares",
		"sell_shares",
		"sell_stock",
		"swap_stock",
		"hold_stock",
		"cancel_trade",
	]);
});

test("no sequence of words is read by two commands", () => {
	expect(overlapsOf(builtinCommands, builtinOptions)).toEqual([]);
});

describe.each(builtinCommands.map((command) => [command.name, command] as const))(
	"%s",
	(name, command) => {
		test("each example is read", () => {
			for (const example of command.examples) {
				const parsed = grammar.parse(example);
				const reader = parsed.kind === "read" ? parsed.reading.command.name : parsed.detail;
				expect([example, reader]).toEqual([example, name]);
			}
		});

		test("each printed reading is parsed to the same reading", () => {
			fc.assert(
				fc.property(arbitraryReading(command), (reading) => {
					const text = grammar.print(reading);
					expect({ text, ...grammar.parse(text) }).toMatchObject({ text, kind: "read", reading });
				}),
				{ seed: SEED },
			);
		});
	},
);

test.each([
	"buy 12 of kiln-folk for at most 0.5 eth",
	"buy #12 of kiln-folk for at most 0.5 eth",
	"buy kiln-folk 12 for at most 0.5 eth",
	"buy kiln-folk #12 under 0.5 eth",
	"buy kiln-folk #12 for at most 0.5 usdc",
	"send 0…5 eth to 0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
	"send 5 usdc to 0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
])("an ambiguous text moves nothing: %s", (text) => {
	expect(grammar.parse(text).kind).toBe("unread");
});

test.each([
	[
		"send 5 usdc to 0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
		"send 5 eth to 0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
	],
	["buy me kiln-folk #12 for 0.5 weth", "buy kiln-folk #12 for at most 0.5 eth"],
])("a model does not change the coin: %s is not %s", (text, command) => {
	const parsed = grammar.parse(command);
	expect(parsed.kind === "read" && quotesAuthor(parsed.reading, text)).toBe(false);
	const own = text.replace(/usdc|weth/, "eth");
	expect(parsed.kind === "read" && quotesAuthor(parsed.reading, own)).toBe(true);
});

test("no generated text has two readings, causes an exception, or moves what it does not say", () => {
	const readers = readersOf(builtinCommands, builtinOptions);
	const patterns = new Map(
		builtinCommands.filter(isStrict).map((command) => [command.name, strictPattern(command)]),
	);
	const read = new Map<string, number>();
	for (const text of generateTexts(builtinCommands, { seed: SEED, count: COUNT })) {
		const names = [...new Set(readers(text))];
		if (names.length > 1) throw new Error(`${names.join(" and ")} read: ${text}`);
		const parsed = grammar.parse(text);
		if (parsed.kind === "unread") continue;
		const { name } = parsed.reading.command;
		read.set(name, (read.get(name) ?? 0) + 1);
		if (patterns.get(name)?.test(text) === false) throw new Error(`moves something: ${text}`);
	}
	// Every command is represented, or the test would say nothing of it.
	for (const { name } of builtinCommands) {
		expect([name, (read.get(name) ?? 0) > LEAST]).toEqual([name, true]);
	}
});

test.each([
	["buy tsla with 1k usdg", "not_expected", "buy <asset> with <spend> <settlement>"],
	["how do i buy a kiln folk?", "how_to", "buy <collection> <token> for at most <maxPrice> eth"],
	["how can i sell tsla", "how_to", "sell <shares> shares <asset>"],
])("a text that is no order names the form that it looks like: %s", (text, code, form) => {
	const parsed = grammar.parse(text);
	if (parsed.kind === "read") throw new Error("it is read");
	expect([parsed.code, parsed.near[0]]).toEqual([code, expect.stringContaining(form)]);
});
