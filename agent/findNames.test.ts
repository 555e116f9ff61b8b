import { expect, test } from "bun:test";
import { createNameFinder } from "#agent/findNames.ts";
import { NAMES_AWAY_MS } from "#agent/limits.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { type KnownName, NAMES_ASKED_MAX, type NameBook } from "#core/plugin/NameBook.ts";

// Guarantee: names are looked up in all books at once, and a book that fails keeps nobody waiting.

const clock = { ms: 0, nowMs: () => clock.ms };
const deps = { clock, log: silentLog };

function nameOf(kind: KnownName["kind"], text: string): KnownName {
	return kind === "asset" ? { kind, ticker: text.toUpperCase() } : { kind };
}

function book(kind: KnownName["kind"], names: readonly string[]): NameBook & { asked: string[][] } {
	const asked: string[][] = [];
	return {
		asked,
		async find(groups) {
			asked.push([...groups]);
			return new Map(
				groups.filter((one) => names.includes(one)).map((one) => [one, nameOf(kind, one)]),
			);
		},
	};
}

test("a text that two books know is the ticker, in whichever order they are", async () => {
	const books = [book("collection", ["apple", "azuki"]), book("asset", ["apple"])];
	for (const order of [books, books.toReversed()]) {
		const found = await createNameFinder(order, deps)(["apple", "azuki", "nothing"]);
		expect([...found].toSorted()).toEqual([
			["apple", { kind: "asset", ticker: "APPLE" }],
			["azuki", { kind: "collection" }],
		]);
	}
});

test("no book is asked for nothing, nor for more than the limit", async () => {
	const asked = book("collection", []);
	const find = createNameFinder([asked], deps);
	await find([]);
	expect(asked.asked).toEqual([]);
	await find(Array.from({ length: NAMES_ASKED_MAX + 9 }, (_, n) => `name ${n}`));
	expect(asked.asked[0]).toHaveLength(NAMES_ASKED_MAX);
});

test("a book that fails or does not answer knows nothing, and is left alone for a while", async () => {
	let calls = 0;
	const failing: NameBook = {
		find: async () => {
			calls += 1;
			throw new Error("away");
		},
	};
	const silent: NameBook = { find: () => new Promise(() => {}) };
	const find = createNameFinder([failing, silent, book("collection", ["azuki"])], deps);
	expect([...(await find(["azuki"]))]).toHaveLength(1);
	expect([...(await find(["azuki"]))]).toHaveLength(1);
	expect(calls).toBe(1);
	clock.ms += NAMES_AWAY_MS;
	expect([...(await find(["azuki"]))]).toHaveLength(1);
	expect(calls).toBe(2);
});
