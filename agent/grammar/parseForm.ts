import { assert } from "#core/fault/assert.ts";
import type { Command, SlotValues } from "#core/plugin/Command.ts";

/** A part of a form. `any` is one of its options; an optional part has an empty one. */
export type FormItem =
	| { kind: "word"; word: string }
	| { kind: "slot"; name: string }
	| { kind: "any"; options: FormItem[][] };

/**
 * Reads the forms of a command. A form that is written badly is our own mistake: it refuses the
 * boot with the name of the command.
 */
export function parseForms(command: Command): FormItem[][] {
	assert(command.forms.length > 0, `the command ${command.name} has no form`);
	const forms = command.forms.map((form) => parseForm(form, command));
	const [first = [], ...others] = forms;
	const named = `the command ${command.name}`;
	for (const slot of Object.keys(command.slots)) {
		assert(slotsOf(first).has(slot), `${named}: the first form has no place for {${slot}}`);
	}
	for (const needed of neededBy(first)) {
		const without = others.findIndex((form) => !neededBy(form).has(needed));
		assert(without < 0, `${named}: "${command.forms[without + 1]}" has no place for {${needed}}`);
	}
	return forms;
}

/** Writes the values into a form; optional parts stand where all their values are there. */
export function fillForm(
	items: FormItem[],
	values: SlotValues,
	write: (name: string) => string,
): string {
	return items
		.map((item) => {
			if (item.kind === "word") return item.word;
			if (item.kind === "slot") return write(item.name);
			const option =
				item.options.find((one) => {
					const slots = [...slotsOf(one)];
					return (
						slots.length > 0 &&
						[...neededBy(one)].every((name) => name in values) &&
						slots.some((name) => name in values)
					);
				}) ?? item.options.find((one) => slotsOf(one).size === 0 && isChosen(item, one));
			return option ? fillForm(option, values, write) : "";
		})
		.filter((part) => part !== "")
		.join(" ");
}

/** All words that stand in forms. */
export function wordsOf(items: FormItem[]): string[] {
	return items.flatMap((item) => {
		if (item.kind === "word") return [item.word];
		return item.kind === "slot" ? [] : item.options.flatMap(wordsOf);
	});
}

/** What a form can begin with: words, and null for a slot. */
export function headsOf(items: FormItem[]): (string | null)[] {
	const [item, ...rest] = items;
	if (!item) return [];
	if (item.kind === "word") return [item.word];
	if (item.kind === "slot") return [null];
	return item.options.flatMap((option) => headsOf([...option, ...rest]));
}

/** Of words alone, an optional part is left out and the first alternative stands. */
function isChosen(item: { options: FormItem[][] }, option: FormItem[]): boolean {
	return item.options.some((one) => one.length === 0) ? option.length === 0 : true;
}

function parseForm(form: string, { name, slots }: Command): FormItem[] {
	const tokens = form.match(/\{[^{}]*\}|[()[\]|]|[^\s(){}[\]|]+|[{}]/g) ?? [];
	let at = 0;
	const told = `the command ${name}: in "${form}"`;

	function parseOptions(closing: string): FormItem[][] {
		const options = [parseItems()];
		while (tokens[at] === "|") {
			at += 1;
			options.push(parseItems());
		}
		assert(tokens[at] === closing, `${told} a "${closing}" is missing`);
		at += 1;
		for (const option of options) assert(option.length > 0, `${told} an alternative is empty`);
		return options;
	}

	function parseItems(): FormItem[] {
		const items: FormItem[] = [];
		for (
			let token = tokens[at];
			token !== undefined && !/^[)\]|]$/.test(token);
			token = tokens[at]
		) {
			at += 1;
			if (token === "(") items.push({ kind: "any", options: parseOptions(")") });
			else if (token === "[") items.push({ kind: "any", options: [...parseOptions("]"), []] });
			else if (token.startsWith("{")) {
				const slot = token.slice(1, -1);
				assert(Object.hasOwn(slots, slot), `${told} there is no slot called "${slot}"`);
				items.push({ kind: "slot", name: slot });
			} else {
				assert(/^[a-z0-9][a-z0-9'&+-]*$/.test(token), `${told} "${token}" is no word`);
				items.push({ kind: "word", word: token });
			}
		}
		return items;
	}

	const items = parseItems();
	assert(at === tokens.length, `${told} there is a "${tokens[at]}" too many`);
	assert(
		!headsOf(items).includes(undefined as never) && items.length > 0,
		`${told} nothing stands`,
	);
	assertOnce(items, told);
	assert(
		items.some((item) => item.kind !== "any" || item.options.every((one) => one.length > 0)),
		`${told} everything is optional`,
	);
	return items;
}

/** No text fills one slot twice: which of the two would count? */
function assertOnce(items: FormItem[], told: string): Set<string> {
	const seen = new Set<string>();
	for (const item of items) {
		const names =
			item.kind === "slot"
				? [item.name]
				: item.kind === "any"
					? new Set(item.options.flatMap((option) => [...assertOnce(option, told)]))
					: [];
		for (const name of names) {
			assert(!seen.has(name), `${told} {${name}} stands twice`);
			seen.add(name);
		}
	}
	return seen;
}

function slotsOf(items: FormItem[]): Set<string> {
	return assertOnce(items, "a form");
}

/** The slots that each text of this form fills. */
export function neededBy(items: FormItem[]): Set<string> {
	return new Set(
		items.flatMap((item) => {
			if (item.kind === "word") return [];
			if (item.kind === "slot") return [item.name];
			const [first = new Set<string>(), ...others] = item.options.map(neededBy);
			return [...first].filter((name) => others.every((other) => other.has(name)));
		}),
	);
}
