import { expect, test } from "bun:test";
import type { Command, Slot } from "#core/plugin/Command.ts";
import { marketCommands } from "#plugins/market-index/agent/marketCommands.ts";
import { marketTools } from "#plugins/market-index/agent/marketTools.ts";
import { createMarketFixture } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what people type about the market is one question, of a tool that takes it.

/** All ways to write a form, with its slots as they stand. */
function variantsOf(form: string): string[] {
	const optional = /\[([^[\]]*)\]/.exec(form);
	if (optional) {
		const [whole, inner = ""] = optional;
		return [inner, ""].flatMap((text) => variantsOf(form.replace(whole, () => text)));
	}
	const choice = /\(([^()]*)\)/.exec(form);
	if (!choice) return [form.replace(/\s+/g, " ").trim()];
	const [whole, inner = ""] = choice;
	return inner.split("|").flatMap((text) => variantsOf(form.replace(whole, () => text)));
}

const literals = new Set(
	marketCommands.flatMap(({ forms }) =>
		forms.flatMap(variantsOf).flatMap((text) => text.split(" ").filter((word) => word[0] !== "{")),
	),
);
const WORD = `(?!(?:${[...literals].join("|")})(?: |$))[^ ]+`;

function patternOf(slot: Slot): string {
	switch (slot.kind) {
		case "collection":
			return `${WORD}(?: (?!#?\\d+(?: |$))${WORD}){0,7}`;
		case "token":
			return "#?\\d+";
		case "window":
			return "(?:5m|1h|6h|24h|7d|30d)";
		case "chain":
			return "(?:ethereum|base)";
		case "word":
			return `(?:${slot.of.join("|")})`;
		default:
			throw new Error(`the market has no ${slot.kind}`);
	}
}

const SAMPLES: Partial<Record<Slot["kind"], string[]>> = {
	collection: ["kiln folk", "tidal-cats", `0x${"ab".repeat(20)}`],
	token: ["12"],
	window: ["7d"],
	chain: ["base"],
};

const samplesOf = (slot: Slot) =>
	slot.kind === "word" ? [...slot.of] : (SAMPLES[slot.kind] ?? []);

function slotOf(command: Command, name: string): Slot {
	const slot = command.slots[name];
	if (!slot) throw new Error(`${command.name} has no slot ${name}`);
	return slot;
}

const readers = marketCommands.map((command) => {
	const patterns = command.forms.flatMap(variantsOf).map((variant) => {
		const text = variant.replace(
			/\{(\w+)\}/g,
			(_, name) => `(?<${name}>${patternOf(slotOf(command, name))})`,
		);
		return new RegExp(`^${text}$`);
	});
	return { command, patterns };
});

const readersOf = (text: string) =>
	readers
		.filter(({ patterns }) => patterns.some((one) => one.test(text)))
		.map(({ command }) => command.name);

test("every way to write every form is read by its own command and by no other", () => {
	let texts = 0;
	for (const command of marketCommands) {
		for (const variant of command.forms.flatMap(variantsOf)) {
			const names = [...variant.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
			let written = [variant];
			for (const name of names) {
				written = written.flatMap((text) =>
					samplesOf(slotOf(command, name)).map((value) => text.replace(`{${name}}`, value)),
				);
			}
			for (const text of written) expect([text, readersOf(text)]).toEqual([text, [command.name]]);
			texts += written.length;
		}
	}
	expect(texts).toBeGreaterThan(1_000);
});

test("the first form has a place for every slot, and no other form has a slot that is unknown", () => {
	for (const { name, forms, slots } of marketCommands) {
		const named = (form = "") => [...form.matchAll(/\{(\w+)\}/g)].map(([, slot = ""]) => slot);
		expect([name, named(forms[0]).toSorted()]).toEqual([name, Object.keys(slots).toSorted()]);
		for (const form of forms) {
			expect([form, named(form).filter((slot) => !(slot in slots))]).toEqual([form, []]);
			expect([form, new Set(named(form)).size]).toEqual([form, named(form).length]);
		}
	}
	expect(new Set(marketCommands.map(({ name }) => name)).size).toBe(marketCommands.length);
});

test("each command asks a tool that takes its values, and each tool has a command", async () => {
	const database = await createTestDatabase();
	try {
		const tools = marketTools(createMarketFixture(database.db));
		for (const command of marketCommands) {
			const { slots } = command;
			const given = Object.keys(slots).map((name) => [name, samplesOf(slotOf(command, name))[0]]);
			const values = Object.fromEntries(given);
			const found = tools.find(({ name }) => name === command.tool);
			const taken = found?.input.safeParse(command.input?.(values) ?? values);
			expect([command.name, taken?.error?.message]).toEqual([command.name, undefined]);
			expect([command.name, taken?.success]).toEqual([command.name, true]);
		}
		const asked = new Set(marketCommands.map(({ tool }) => tool));
		expect([...asked].toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
	} finally {
		await database.drop();
	}
});

test("each example is read by its command", () => {
	for (const { name, examples } of marketCommands) {
		for (const text of examples) expect([text, readersOf(text)]).toEqual([text, [name]]);
	}
});
