import { expect, test } from "bun:test";
import { createGrammar, type Reading } from "#agent/grammar/Grammar.ts";
import type { KnownName } from "#core/plugin/Tool.ts";
import { builtinCommands, builtinOptions } from "#test/agent/builtinCommands.ts";

// Guarantee: a question that goes on from an answer takes only what it leaves out from it, and
// nothing that moves value is ever read so.

const grammar = createGrammar(builtinCommands, builtinOptions);
const NAMES = new Map<string, KnownName>([
	["night ferry", { kind: "collection" }],
	["kiln folk", { kind: "collection" }],
	["nvda", { kind: "asset", ticker: "NVDA" }],
]);

function readingOf(text: string): Reading {
	const parsed = grammar.parse(text);
	if (parsed.kind === "unread") throw new Error(`${text}: ${parsed.detail}`);
	return parsed.reading;
}

function follow(subject: string, text: string): string | null {
	const asked = grammar.namesIn(text);
	const names = new Map([...NAMES].filter(([name]) => asked.includes(name)));
	const followed = grammar.follow(text, readingOf(subject), names);
	return followed && grammar.print(followed.reading);
}

test.each([
	["volume kiln-folk 7d", "and in the last hour?", "volume kiln-folk 1h"],
	["volume kiln-folk 7d", "and yesterday?", "volume kiln-folk yesterday-utc"],
	["volume kiln-folk 7d on base", "last 3 days", "volume kiln-folk 3d on base"],
	["volume kiln-folk 7d", "what about night ferry", "volume night ferry 7d"],
	["volume kiln-folk 7d", "night ferry?", "volume night ferry 7d"],
	["volume kiln-folk 7d", "how about night ferry on base", "volume night ferry 7d on base"],
	["volume kiln-folk 7d", "and on base?", "volume kiln-folk 7d on base"],
	["volume kiln-folk on base", "on ethereum?", "volume kiln-folk on ethereum"],
	["volume kiln-folk 7d", "how many sold?", "sold kiln-folk 7d"],
	["floor kiln-folk", "holders?", "holders kiln-folk"],
	["floor kiln-folk", "and the volume?", "volume kiln-folk"],
	["floor kiln-folk", "volume last hour", "volume kiln-folk 1h"],
	["floor kiln-folk", "and yesterday at 14:00", "floor kiln-folk yesterday-14:00-utc"],
	["floor kiln-folk", "what about night ferry?", "floor night ferry"],
	["floor kiln-folk", "ok and what about night ferry", "floor night ferry"],
	["sales kiln-folk", "in the last hour?", "sold kiln-folk 1h"],
	["token #12 of kiln-folk", "last sale?", "last sale #12 of kiln-folk"],
	["token #12 of kiln-folk", "is it listed?", "listing #12 of kiln-folk"],
	["token #12 of kiln-folk", "and #13?", "token #13 of kiln-folk"],
	["token #12 of kiln-folk", "holders?", "holders kiln-folk"],
	["trending 1h", "and in the last 7 days", "trending 7d"],
	["trending 1h on base", "and today?", "trending 24h on base"],
	["most volume 1h", "on base?", "most volume 1h on base"],
	["stock TSLA", "and nvda?", "stock NVDA"],
])("after %s: %s", (subject, text, command) => {
	expect(follow(subject, text)).toBe(command);
});

test.each([
	["floor kiln-folk", "buy one"],
	["floor kiln-folk", "and buy #12 for at most 0.5 eth"],
	["floor kiln-folk", "buy kiln-folk #12 for at most 0.5 eth"],
	["floor kiln-folk", "send 1 eth"],
	["floor kiln-folk", "sell it"],
	["floor kiln-folk", "grab one"],
	["floor kiln-folk", "yes"],
	["floor kiln-folk", "thanks"],
	["floor kiln-folk", "and?"],
	["floor kiln-folk", "royalties?"],
	["floor kiln-folk", "not yesterday"],
	["floor kiln-folk", "why is it so low and who sold so many of them and when and to whom"],
	["holders kiln-folk", "and in the last hour?"],
	["volume kiln-folk 7d", "in 3 hours?"],
	["trending 1h", "holders?"],
	["stock TSLA", "buy 2"],
	["stock TSLA", "what about buying 2"],
])("after %s this text is not read: %s", (subject, text) => {
	expect(follow(subject, text)).toBeNull();
});

test("no text around a subject turns a question into a command that moves value", () => {
	const strict = builtinCommands.filter(builtinOptions.isStrict);
	for (const command of strict) {
		for (const example of command.examples) {
			for (const text of [example, `and ${example}`, example.split(" ").slice(0, 2).join(" ")]) {
				const followed = grammar.follow(text, readingOf("floor kiln-folk"));
				expect([text, followed && builtinOptions.isStrict(followed.reading.command)]).not.toEqual([
					text,
					true,
				]);
			}
		}
	}
});
