// Parses the forms of commands, compiles them into one graph, and fills them in.

import { assert } from "#core/fault.ts";
import type { Command, Slot, SlotValues } from "#core/plugin/Tool.ts";

/** A state of the search in all forms: which words may come next, and which commands end here. */
export type Node = {
	words: ReadonlyMap<string, Node>;
	/** In the order of trying: slots with few possible values first, names last. */
	slots: readonly SlotEdge[];
	ends: readonly Command[];
	/** All commands that are still possible. */
	commands: ReadonlySet<Command>;
};

export type SlotEdge = { name: string; slot: Slot; to: Node };

/** A part of a form. `any` means one of its options; an optional part has an empty option. */
export type FormItem =
	| { kind: "word"; word: string }
	| { kind: "slot"; name: string }
	| { kind: "any"; options: FormItem[][] };

type State = {
	id: number;
	words: [string, State][];
	slots: { name: string; slot: Slot; to: State }[];
	ends: Command[];
};

export type Entry = {
	command: Command;
	forms: FormItem[][];
	isStrict: boolean;
	/** All words that its forms contain. */
	words: ReadonlySet<string>;
	/** The first words of the command's forms; null is a slot. */
	heads: ReadonlySet<string | null>;
};

/**
 * Orders slots by how many words they accept: names accept nearly any word, so they are tried last.
 */
const ORDER: readonly Slot["kind"][] = [
	...(["word", "address", "percent", "id", "window", "period", "chain", "amount"] as const),
	...(["token", "asset", "collection"] as const),
];

/**
 * Compiles the forms of many commands into one graph, in which each word of a text is looked up
 * once, however many forms begin with it.
 *
 * Forms are built from their ends (so the tail `[on {chain}]` exists once per command); then states
 * that the same words lead to become one state (subset construction).
 */
export function compileForms(commands: readonly { command: Command; forms: FormItem[][] }[]): Node {
	const memo = new Map<string, Node>();
	const states: State[] = [];

	function newState(part: Partial<Omit<State, "id">>): State {
		const state = { id: states.length, words: [], slots: [], ends: [], ...part };
		states.push(state);
		return state;
	}

	function compile(items: FormItem[], next: State, command: Command): State {
		return items.reduceRight((after, item) => {
			if (item.kind === "word") return newState({ words: [[item.word, after]] });
			if (item.kind === "slot") {
				const slot = command.slots[item.name];
				return slot ? newState({ slots: [{ name: item.name, slot, to: after }] }) : after;
			}
			return join(item.options.map((option) => compile(option, after, command)));
		}, next);
	}

	function join(several: State[]): State {
		return newState({
			words: several.flatMap(({ words }) => words),
			slots: several.flatMap(({ slots }) => slots),
			ends: several.flatMap(({ ends }) => ends),
		});
	}

	/** Returns one node that combines several states. */
	function nodeOf(several: State[]): Node {
		const ids = [...new Set(several)].sort((a, b) => a.id - b.id);
		const key = ids.map(({ id }) => id).join();
		const known = memo.get(key);
		if (known) return known;
		const words = group(
			ids.flatMap((state) => state.words.map(([word, to]) => ({ key: word, to }))),
		);
		const edges = ids.flatMap((state) => state.slots);
		const slots = group(edges.map(({ name, slot, to }) => ({ key: keyOf(name, slot), to })));
		const ends = [...new Set(ids.flatMap((state) => state.ends))];
		const node = {
			words: new Map([...words].map(([word, to]) => [word, nodeOf(to)])),
			slots: [...slots]
				.flatMap(([slotKey, to]) => {
					const edge = edges.find(({ name, slot }) => keyOf(name, slot) === slotKey);
					return edge ? [{ name: edge.name, slot: edge.slot, to: nodeOf(to) }] : [];
				})
				.sort((a, b) => ORDER.indexOf(a.slot.kind) - ORDER.indexOf(b.slot.kind)),
			ends,
			commands: new Set<Command>(),
		};
		for (const command of ends) node.commands.add(command);
		for (const after of [...node.words.values(), ...node.slots.map(({ to }) => to)]) {
			for (const command of after.commands) node.commands.add(command);
		}
		memo.set(key, node);
		return node;
	}

	return nodeOf(
		commands.flatMap(({ command, forms }) => {
			const end = newState({ ends: [command] });
			return forms.map((form) => compile(form, end, command));
		}),
	);
}

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

function group(edges: { key: string; to: State }[]): Map<string, State[]> {
	const groups = new Map<string, State[]>();
	for (const { key, to } of edges) groups.set(key, [...(groups.get(key) ?? []), to]);
	return groups;
}

function keyOf(name: string, slot: Slot): string {
	const { kind } = slot;
	const hasSign =
		(kind === "token" && slot.hasSign) ||
		(kind === "amount" && slot.isDollars) ||
		(kind === "period" && slot.isPast);
	const terms = kind === "word" ? slot.of.join(" ") : hasSign ? "signed" : "";
	return `${name} ${kind} ${terms}`;
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

/**
 * Returns whether this option is printed: an optional part is left out, else the first option wins.
 */
function isChosen(item: { options: FormItem[][] }, option: FormItem[]): boolean {
	return item.options.some((one) => one.length === 0) ? option.length === 0 : true;
}
