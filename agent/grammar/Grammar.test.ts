import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createGrammar, helpLines, type Parsed, shapeOf } from "#agent/grammar/Grammar.ts";
import { arbitraryReading } from "#agent/grammar/testing/arbitraryReading.ts";
import { commands, isStrict } from "#agent/grammar/testing/commands.ts";
import { generateTexts } from "#agent/grammar/testing/generateTexts.ts";
import { overlapsOf } from "#agent/grammar/testing/overlapsOf.ts";
import { readersOf } from "#agent/grammar/testing/readersOf.ts";
import { strictPattern } from "#agent/grammar/testing/strictPattern.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { AssertionFailed } from "#core/fault.ts";
import type { Command } from "#core/plugin/Tool.ts";

describe("createGrammar", () => {
	const options = { isStrict, chains: createChainRegistry(builtinChains) };
	const grammar = createGrammar(commands, options);
	const SEED = 30;
	const ADDRESS = "0x1111111111111111111111111111111111111111";
	const ID = "0190b2c4-5d6e-7f80-9a1b-2c3d4e5f6071";

	function printed(text: string): string | null {
		const parsed = grammar.parse(text);
		return parsed.kind === "read" ? grammar.print(parsed.reading) : null;
	}

	function unread(text: string): Extract<Parsed, { kind: "unread" }> {
		const parsed = grammar.parse(text);
		if (parsed.kind === "read")
			throw new Error(`${text} was read as ${parsed.reading.command.name}`);
		return parsed;
	}

	describe("texts that are read", () => {
		test.each([
			["floor kiln folk on base", "floor kiln folk on base"],
			["Floor  KILN Folk  on 8453", "floor KILN Folk on base"],
			["volume kiln folk 24h", "volume kiln folk 24h"],
			['floor "Kiln  Folk"', "floor Kiln Folk"],
			['floor "life on mars"', 'floor "life on mars"'],
			[`floor ${ADDRESS.toUpperCase().replace("X", "x")}`, `floor ${ADDRESS}`],
			["token kiln folk 12", "token kiln folk #12"],
			["buy kiln folk #12 for max 0.5 ETH", "buy kiln folk #12 for at most 0.5 eth"],
			["sell ALL of my $aapl to usdg", "sell all AAPL to USDG"],
			["sell 25% $on", "sell 25% $ON"],
			["buy eth with 5 usdg", "buy ETH with 5 USDG"],
			[
				`bridge 0.5 eth from ape_chain to base as weth recipient ${ADDRESS} refund to ${ADDRESS}`,
				`bridge 0.5 ETH from apechain to base as WETH recipient ${ADDRESS} refund to ${ADDRESS}`,
			],
			[`cancel ${ID.toUpperCase()}`, `cancel ${ID}`],
		])("%s", (text, command) => {
			expect(printed(text)).toBe(command);
		});

		test.each(commands.map((command) => [command.name, command] as const))(
			"a reading that is printed as %s is parsed back to the same reading",
			(_, command) => {
				fc.assert(
					fc.property(arbitraryReading(command), (reading) => {
						const text = grammar.print(reading);
						const parsed = grammar.parse(text);
						expect({ text, ...parsed }).toMatchObject({ text, kind: "read", reading });
					}),
					{ seed: SEED },
				);
			},
		);
	});

	describe("commands that only read", () => {
		test.each([
			["what's the floor of kiln folk?", "floor kiln folk"],
			["hey can you show me the flooor of kiln folk please", "floor kiln folk"],
			["hodlers of kiln folk", "holders kiln folk"],
			["hodlrs of kiln folk", "holders kiln folk"],
			["holdres of kiln folk", "holders kiln folk"],
			["volume of kiln folk over the last 24 hours", "volume kiln folk 24h"],
			["kiln folk's volume this week", "volume kiln folk 7d"],
			["gm! trending on base 🔥", "trending on base"],
			["cool cats floor", "floor cool cats"],
			["cool nfts floor volume", null],
			["floor kiln folk vs azuki", null],
			["flooor of kiln folk plzzz", "floor kiln folk"],
			["how many holders does kiln volume have", null],
			["volume 7d azuki", "volume azuki 7d"],
			["volume azuki today", "volume azuki 24h"],
		])("a reading command tolerates common additions and typing errors: %s", (text, command) => {
			expect(printed(text)).toBe(command);
		});
	});

	describe("commands that move something", () => {
		test.each([
			"please sell all AAPL",
			"sell all AAPL please",
			"sell all AAPL.",
			"sell all AAPL?",
			"sell all, AAPL",
			"sell all AAPL 🔥",
			"sel all AAPL",
			"sell al AAPL",
			"do not sell all AAPL",
			"sell all AAPL tomorrow",
			'"sell all AAPL"',
			"he said sell all AAPL",
			`send 0.5 eth to ${ADDRESS} (not)`,
			"buy 5 bridge",
			"buy 5 ON",
			"hold my",
		])("a command that moves something tolerates no deviation: %s", (text) => {
			expect(printed(text)).toBeNull();
		});

		test("a command that moves something is suggested as its pattern, without an amount", () => {
			expect(unread("send 0.5 eth").near[0]).toBe("send <amount> eth to <to> [on <chain>]");
			expect(unread("sel all AAPL").near[0]).toBe(
				"sell (half|all|<percent>|<quantity>) [of] [my] <asset> [to ETH|WETH|USDG]",
			);
		});
	});

	describe("texts that are not read", () => {
		test.each([
			["", "text_empty", 0],
			[" \t ", "text_empty", 0],
			["x".repeat(2_001), "text_too_long", 2_000],
			["zork", "unknown_command", 0],
			["  zork kiln", "unknown_command", 2],
			["floor", "incomplete", 5],
			["send 0.5 eth to", "incomplete", 15],
			[`send 0.5 eth to ${ADDRESS} kiln`, "not_expected", 59],
			["send five eth", "slot_invalid", 5],
			["send 01 eth", "slot_invalid", 5],
			["send 1e18 eth", "slot_invalid", 5],
			["sell 101% AAPL", "slot_invalid", 5],
			["sell 0 AAPL", "slot_invalid", 5],
			[`send 1 eth to 0x${"aB".repeat(20)}`, "slot_invalid", 14],
			["floor kiln on mars", "slot_invalid", 14],
			["floor “kiln", "slot_invalid", 6],
			["send 1,000 eth", "text_thousands_separator", 6],
			["send 0,5 eth", "text_thousands_separator", 6],
			["send 1 000 eth", "text_thousands_separator", 7],
			["send 1'000 eth", "text_thousands_separator", 6],
			["send 1’000 eth", "text_thousands_separator", 6],
			["send 1_000 eth", "text_thousands_separator", 6],
			["send 1.000.000 eth", "text_thousands_separator", 6],
			["send 1.000 eth", "text_thousands_separator", 6],
			["send 20.000 eth", "text_thousands_separator", 7],
			["how do i buy a kiln folk?", "how_to", 0],
			["how can you send eth", "how_to", 0],
			["floor kiln; sell all AAPL", "text_two_commands", 10],
			["floor kiln\nsell all AAPL", "text_two_commands", 10],
			["sell all AAPL and then buy 1 TSLA", "text_two_commands", 23],
			["floor kiln sell all AAPL", "text_two_commands", 11],
			["floor kiln and volume azuki", "text_two_commands", 15],
			["floor kiln. volume azuki", "text_two_commands", 12],
			["floor kiln volume azuki", "text_two_commands", 11],
			["floоr kiln", "text_mixed_scripts", 3],
			["send 0.5 eth to 0х1111111111111111111111111111111111111111", "text_confusable", 17],
			["floor キルン", "text_mixed_scripts", 6],
			['floor "kiln キルン"', "text_mixed_scripts", 12],
			['floor "сор"', "text_confusable", 7],
			["send ٥ eth", "text_foreign_digits", 5],
			["send ５ eth", "text_foreign_digits", 5],
			["floor k\u200biln", "text_invisible", 7],
			["floor é\u202ekiln", "text_invisible", 7],
		])("%j is %s at %i", (text, code, position) => {
			expect(unread(text)).toMatchObject({ code, position });
		});

		test("for an unread text at most three similar commands are named", () => {
			for (const text of ["floor", "flor", "kiln volumes holders mints", "sell", "how many"]) {
				const { near } = unread(text);
				expect(near.length).toBeGreaterThan(0);
				expect(near.length).toBeLessThanOrEqual(3);
			}
		});
	});

	describe("generated texts", () => {
		const COUNT = 20_000;

		test("no sequence of words is read by two commands", () => {
			expect(overlapsOf(commands, options)).toEqual([]);
		});

		test("two commands that read the same text are detected", () => {
			const one = { ...command("floor"), name: "one", forms: ["worth {collection}"], examples: [] };
			const two = { ...one, name: "two", forms: ["worth {collection}", "worth zork {collection}"] };
			const other = { ...one, name: "three", forms: ["{collection} zork", "so {collection} is"] };
			const clean = [one, other].map((each) => ({
				...each,
				slots: { collection: { kind: "collection" } },
			}));
			expect(overlapsOf(clean as Command[], options)).toEqual([]);
			const same = [one, two].map((each) => ({
				...each,
				slots: { collection: { kind: "collection" } },
			}));
			expect(overlapsOf(same as Command[], options)).toMatchObject([{ commands: ["one", "two"] }]);
		});

		test("a text never has two readings, causes an exception, or is read as an action without its exact words", () => {
			const readers = readersOf(commands, options);
			const patterns = new Map(commands.map((each) => [each.name, strictPattern(each)]));
			let read = 0;
			let moving = 0;
			for (const text of generateTexts(commands, { seed: SEED, count: COUNT })) {
				const parsed = grammar.parse(text);
				const names = [...new Set(readers(text))];
				if (names.length > 1) throw new Error(`${names.join(" and ")} read: ${text}`);
				if (parsed.kind === "unread") {
					if (parsed.near.length > 3 || parsed.position > text.length)
						throw new Error(`${parsed.position}, ${parsed.near}: ${text}`);
					continue;
				}
				read += 1;
				if (!isStrict(parsed.reading.command)) continue;
				moving += 1;
				const pattern = patterns.get(parsed.reading.command.name);
				if (!pattern?.test(text)) throw new Error(`moves something: ${text}`);
			}
			// Both kinds are well represented, or the test would say nothing.
			expect(read).toBeGreaterThan(COUNT / 5);
			expect(moving).toBeGreaterThan(COUNT / 50);
		});

		test("texts of any characters do not crash", () => {
			fc.assert(
				fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
					const parsed = grammar.parse(text);
					if (parsed.kind === "unread") expect(parsed.position).toBeLessThanOrEqual(text.length);
				}),
				{ seed: SEED },
			);
		});
	});

	describe("command definitions that are refused at boot", () => {
		const slots = { collection: { kind: "collection" } } as const;
		test.each([
			["an unknown slot", { forms: ["worth {name}"], slots }],
			["a first form without a place for a slot", { forms: ["worth"], slots }],
			[
				"a form without a place for a slot that is always there",
				{ forms: ["worth {collection}", "worth"], slots },
			],
			["a slot that stands twice", { forms: ["worth {collection} [or {collection}]"], slots }],
			["a bracket that is not closed", { forms: ["worth [it {collection}"], slots }],
			["a bracket too many", { forms: ["worth it] {collection}"], slots }],
			["an empty alternative", { forms: ["worth (a|) {collection}"], slots }],
			["a word with a capital", { forms: ["Worth {collection}"], slots }],
			["a form in which everything is optional", { forms: ["[worth]"], slots: {} }],
			["no form", { forms: [], slots: {} }],
			[
				"an example that it does not read",
				{ forms: ["worth {collection}"], slots, examples: ["zork it"] },
			],
		])("%s", (_, part) => {
			const bad = { ...command("floor"), name: "worth", examples: [], ...part } as Command;
			expect(() => createGrammar([bad], options)).toThrow(AssertionFailed);
			expect(() => createGrammar([bad], options)).toThrow(/worth/);
		});

		test("a command that moves something and begins with a slot is refused at boot", () => {
			const bad = { ...command("hold"), forms: ["{asset} hold"], examples: [] };
			expect(() => createGrammar([bad], options)).toThrow(/begins with a word/);
		});
	});

	test("a pattern shows what a user must type", () => {
		expect(shapeOf(command("floor"))).toBe("floor <collection> [on <chain>]");
	});

	function command(name: string): Command {
		const found = commands.find((each) => each.name === name);
		if (!found) throw new Error(`no command ${name}`);
		return found;
	}
});

describe("helpLines", () => {
	test("help shows each command as a user types it, and its effect", () => {
		const lines = helpLines(commands);
		expect(lines).toHaveLength(commands.length);
		expect(lines[0]).toBe("floor <collection> [on <chain>]: Answers floor.");
	});
});
