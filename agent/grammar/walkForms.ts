// Walks through all forms along a text, and returns the commands that read it.

import type { Node, SlotEdge } from "#agent/grammar/forms.ts";
import { readLooseTime } from "#agent/grammar/readPeriod.ts";
import { isNameWord, readAddress, readSlot, type SlotRules } from "#agent/grammar/readSlot.ts";
import { isDeciding, isFunctionWord, type Words } from "#agent/grammar/splitWords.ts";
import type { Command, SlotValues } from "#core/plugin/Tool.ts";

export type WalkRules = SlotRules & {
	/** Says whether a word begins a command. */
	isHead(low: string): boolean;
	/** True for a word of any form or topic: it is never taken for a misspelling of another. */
	isKnown(low: string): boolean;
};

/** `exact`: word for word. `loose`: also lengths of time in words, and `'s` after a name. */
export type WalkMode = "exact" | "loose";

/** Marks the words from `from` to before `to`. */
export type Range = { from: number; to: number };

/** A command that reads the text, and which of its words are names without quotes. */
export type Found = {
	command: Command;
	values: SlotValues;
	names: readonly Range[];
	/** Holds the words that the answer does not account for: the answer names them. */
	leftOut?: string;
	/** Says whether a name is not known to be one: whoever resolves names then asks back. */
	isGuess?: boolean;
};

export type Walked = {
	/** One entry for each command that reads the text. */
	found: readonly Found[];
	/** The word at which no form continues, and the state of the forms there. */
	far: number;
	farNode: Node;
	/** The words and the range that were read. */
	words: Words;
	range: Range;
};

/** The result of reading; where it stopped if `found` is empty. */
export type Look = Walked & { words: Words; range: Range };

/**
 * Walks through all forms along a text; returns the commands that read it, or how far it got. Of
 * several ways to read it as one command the first wins: a word before a slot, and a slot with few
 * values before a name. A name without quotes does not begin with a word that the form has there,
 * and ends before one that could follow it.
 *
 * The search is bounded by its steps, and a name by its words, so a long text costs little.
 */
export function walkForms(
	root: Node,
	words: Words,
	range: Range,
	mode: WalkMode,
	rules: WalkRules,
): Walked {
	const { from, to } = range;
	const walk: Walk = {
		words,
		from,
		to,
		mode,
		rules,
		found: [],
		stack: [],
		far: from,
		farNode: root,
		steps: 0,
	};
	visit(walk, root, from);
	return { found: walk.found, far: walk.far, farNode: walk.farNode, words, range };
}

/** Returns true where a word can follow a name: the name ends before it. */
export function goesOn(after: Node, words: Words, at: number, rules: SlotRules): boolean {
	if (after.words.has(words.low[at] ?? "")) return true;
	return after.slots.some(
		({ slot }) => slot.kind !== "collection" && readSlot(slot, words, at, rules) !== undefined,
	);
}

/** Returns true where a length of time could begin: no name begins with one there. */
export function beginsTime(
	{ slots }: Node,
	words: Words,
	at: number,
	{ mode, rules, to }: Pick<Walk, "mode" | "rules" | "to">,
): boolean {
	return slots.some(({ slot }) => {
		if (slot.kind !== "window" && slot.kind !== "period") return false;
		if (readSlot(slot, words, at, rules) !== undefined) return true;
		return mode !== "exact" && readLooseTime(slot, words, at, to) !== undefined;
	});
}

export const NAME_WORDS_MAX = 8;
const STEPS_MAX = 5_000;

type Filled = { name: string; value: string; range?: Range };

/** The state of one walk. One object for all steps, because a parse may take only microseconds. */
type Walk = {
	readonly words: Words;
	readonly from: number;
	readonly to: number;
	readonly mode: WalkMode;
	readonly rules: WalkRules;
	readonly found: Found[];
	readonly stack: Filled[];
	far: number;
	farNode: Node;
	steps: number;
};

function visit(walk: Walk, node: Node, at: number): void {
	const { words, found } = walk;
	walk.steps += 1;
	if (walk.steps > STEPS_MAX) return;
	const [first] = found;
	if (first && node.commands.size === 1 && node.commands.has(first.command)) return;
	if (at > walk.far) {
		walk.far = at;
		walk.farNode = node;
	}
	if (at === walk.to) {
		for (const command of node.ends) {
			if (!found.some((one) => one.command === command)) found.push(pack(command, walk.stack));
		}
		return;
	}
	let isWord = false;
	if (words.kinds[at] === "word") {
		const low = words.low[at] ?? "";
		const next = node.words.get(low);
		if (next) visit(walk, next, at + 1);
		isWord = next !== undefined;
	}
	for (const edge of node.slots) if (edge.slot.kind !== "collection") visitSlot(walk, edge, at);
	if (isWord || beginsTime(node, words, at, walk)) return;
	for (const edge of node.slots) if (edge.slot.kind === "collection") visitName(walk, edge, at);
}

function visitSlot(walk: Walk, { name, slot, to }: SlotEdge, at: number): void {
	const value = readSlot(slot, walk.words, at, walk.rules);
	if (value !== undefined) fill(walk, { name, value }, to, at + 1);
	else if (walk.mode !== "exact") {
		const time = readLooseTime(slot, walk.words, at, walk.to);
		if (time) fill(walk, { name, value: time.value }, to, at + time.used);
	}
}

function visitName(walk: Walk, { name, to }: SlotEdge, at: number): void {
	const { words, rules } = walk;
	const low = words.low[at] ?? "";
	const raw = words.raw[at] ?? "";
	const whole = words.kinds[at] === "quoted" ? raw : readAddress(low, raw);
	if (whole !== undefined) {
		fill(walk, { name, value: whole }, to, at + 1);
		return;
	}
	const isFirst = at === walk.from;
	if (isFirst && (isFunctionWord(low) || isDeciding(low))) return;
	let value = "";
	for (let end = at; end < walk.to && end < at + NAME_WORDS_MAX; end++) {
		if (!isNameWord(words, end, rules)) return;
		if (end > at && (words.isApart[end] || goesOn(to, words, end, rules))) return;
		if (end > at && walk.mode !== "exact" && endsLoosely(walk, to, end)) return;
		const word = words.raw[end] ?? "";
		value = end === at ? word : `${value} ${word}`;
		const isOwner = walk.mode !== "exact" && (isFirst || value.endsWith("s'"));
		const named = isOwner ? value.replace(/'s?$/, "") : value;
		fill(walk, { name, value: named, range: { from: at, to: end + 1 } }, to, end + 1);
	}
}

/** Returns true where a name ends in tolerant reading: `azuki today`, `azuki vs milady`. */
function endsLoosely({ words, to }: Walk, { slots }: Node, at: number): boolean {
	const word = words.low[at] ?? "";
	if (word === "vs" || word === "versus") return true;
	return slots.some(({ slot }) => readLooseTime(slot, words, at, to) !== undefined);
}

function fill(walk: Walk, filled: Filled, next: Node, at: number): void {
	walk.stack.push(filled);
	visit(walk, next, at);
	walk.stack.pop();
}

function pack(command: Command, stack: readonly Filled[]): Found {
	const values: Record<string, string> = {};
	const names: Range[] = [];
	for (const { name, value, range } of stack) {
		values[name] = value;
		if (range) names.push(range);
	}
	return { command, values, names };
}
