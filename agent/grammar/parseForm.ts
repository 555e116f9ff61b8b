import { assert } from "#core/fault/assert.ts";
import type { Command, SlotValues } from "#core/plugin/Command.ts";

/** A part of a form. `any` means one of its options; an optional part has an empty option. */
export type FormItem =
	| { kind: "word"; word: string }
	| { kind: "slot"; name: string }
	| { kind: "any"; options: FormItem[][] };

/**
 * Parses the forms of a command. A syntax error is our own mistake, so it stops the start-up with
 * the name of the command.
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

/** Writes values into a form; an optional part is written if all of its values are given. */
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

/** Returns all words of a form. */
export function wordsOf(items: FormItem[]): string[] {
	return items.flatMap((item) => {
		if (item.kind === "word") return [item.word];
		return item.kind === "slot" ? [] : item.options.flatMap(wordsOf);
	});
}

/** Returns what a form can begin with: words, and null for a slot. */
export function headsOf(items: FormItem[]): (string | null)[] {
	const [item, ...rest] = items;
	if (!item) return [];
	if (item.kind === "word") return [item.word];
	if (item.kind === "slot") return [null];
	return item.options.flatMap((option) => headsOf([...option, ...rest]));
}

/**
 * Returns whether this option is printed: an optional part is left out, else the first option wins.
 */
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

/** Asserts that no text can fill one slot twice, and returns the slots. */
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

/** Returns the slots that every text of this form fills. */
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
