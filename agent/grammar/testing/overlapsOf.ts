// Finds texts that two commands read.

import { createReader, entriesOf } from "#agent/grammar/createReader.ts";
import type { Node, SlotEdge } from "#agent/grammar/forms.ts";
import type { GrammarOptions } from "#agent/grammar/Grammar.ts";
import { isNameWord, readAddress, readSlot } from "#agent/grammar/readSlot.ts";
import { isDeciding, isFunctionWord, splitWords, type Words } from "#agent/grammar/splitWords.ts";
import {
	beginsTime,
	goesOn,
	NAME_WORDS_MAX,
	type WalkRules,
	walkForms,
} from "#agent/grammar/walkForms.ts";
import type { Command, Slot } from "#core/plugin/Tool.ts";

/** A text that two commands read. */
export type Overlap = { text: string; commands: [string, string] };

/**
 * Finds texts that two commands read, for any list of commands: one for each pair.
 *
 * It follows two paths through the forms in parallel while the same word fits both, so the result
 * does not depend on luck: it is complete for texts made of the words of the forms, one value of
 * each kind, and one name without a meaning.
 */
export function overlapsOf(commands: readonly Command[], options: GrammarOptions): Overlap[] {
	const { rules, strictRoot, looseRoot } = createReader(
		entriesOf(commands, options.isStrict),
		options.chains,
	);
	const overlaps = new Map<string, Overlap>();

	function note(text: string, one: Command, other: Command): void {
		const names = [one.name, other.name].sort() as [string, string];
		const words = splitWords(text);
		if (one === other || overlaps.has(names.join()) || words.kind !== "words") return;
		const range = { from: 0, to: words.low.length };
		const found = [strictRoot, looseRoot].flatMap(
			(root) => walkForms(root, words, range, "exact", rules).found,
		);
		const isReal = [one, other].every((command) => found.some((read) => read.command === command));
		if (isReal) overlaps.set(names.join(), { text, commands: names });
	}

	for (const [left, right] of [
		[strictRoot, looseRoot],
		[strictRoot, strictRoot],
		[looseRoot, looseRoot],
	] as const) {
		for (const pair of walkTwoWays(left, right, rules)) {
			for (const one of pair.left.node.ends) {
				for (const other of pair.right.node.ends) note(pair.text, one, other);
			}
		}
	}
	return [...overlaps.values()];
}

/** Yields all pairs of places that one text leads to, with the shortest such text. */
function* walkTwoWays(left: Node, right: Node, rules: WalkRules): Generator<Pair> {
	const ids = new Map<unknown, number>();
	const seen = new Set<string>();
	const queue: Pair[] = [{ left: { node: left }, right: { node: right }, text: "" }];

	function isNew(...places: Place[]): boolean {
		const parts = places.flatMap(({ node, name }) => [node, name?.edge, name?.count]);
		const key = parts.map((part) => {
			const id = ids.get(part) ?? ids.size;
			ids.set(part, id);
			return id;
		});
		const size = seen.size;
		return seen.add(key.join()).size > size;
	}

	for (let pair = queue.shift(); pair; pair = queue.shift()) {
		yield pair;
		for (const token of tokensAt(pair)) {
			const isFirst = pair.text === "";
			const text = isFirst ? token : `${pair.text} ${token}`;
			for (const one of step(pair.left, token, isFirst, rules)) {
				for (const other of step(pair.right, token, isFirst, rules)) {
					if (!canDiffer(one.node, other.node) || !isNew(one, other)) continue;
					queue.push({ left: one, right: other, text });
				}
			}
		}
	}
}

/** Returns the places that one word leads to; several, because a name may end or continue. */
function step(place: Place, token: string, isFirst: boolean, rules: WalkRules): Place[] {
	const words = wordsOf(token);
	const low = words.low[0] ?? "";
	const isQuoted = words.kinds[0] === "quoted";
	const canName = !isQuoted && isNameWord(words, 0, rules);
	const next: Place[] = [];
	const isTime = beginsTime(place.node, words, 0, { mode: "exact", rules, to: 1 });
	const word = isQuoted ? undefined : place.node.words.get(low);
	if (word) next.push({ node: word });
	for (const edge of place.node.slots) {
		if (edge.slot.kind !== "collection") {
			if (readSlot(edge.slot, words, 0, rules) !== undefined) next.push({ node: edge.to });
		} else if (isQuoted || readAddress(low, token)) next.push({ node: edge.to });
		else if (
			!word &&
			canName &&
			!isTime &&
			!(isFirst && (isFunctionWord(low) || isDeciding(low)))
		) {
			next.push({ node: edge.to, name: { edge, count: 1 } });
		}
	}
	const { name } = place;
	if (name && canName && name.count < NAME_WORDS_MAX && !goesOn(name.edge.to, words, 0, rules)) {
		next.push({ node: place.node, name: { edge: name.edge, count: name.count + 1 } });
	}
	return next;
}

const tokens = new Map<string, Words>();

function wordsOf(token: string): Words {
	const words = tokens.get(token) ?? splitWords(token);
	if (words.kind !== "words") throw new Error(`no word: ${token}`);
	tokens.set(token, words);
	return words;
}

/** A place on one of the two paths: a node, perhaps with a name that may continue. */
type Place = { node: Node; name?: { edge: SlotEdge; count: number } };

type Pair = { left: Place; right: Place; text: string };

/** Returns false where the same single command ends both paths: searching further finds nothing. */
function canDiffer(one: Node, other: Node): boolean {
	if (one.commands.size > 1 || other.commands.size > 1) return true;
	const [command] = one.commands;
	return command !== undefined && !other.commands.has(command);
}

function tokensAt({ left, right }: Pair): Set<string> {
	const nodes = [left.node, right.node];
	return new Set([
		...nodes.flatMap(({ words }) => [...words.keys()]),
		...nodes.flatMap(({ slots }) => slots.flatMap(({ slot }) => samplesOf(slot))),
		...["zork", '"zork"'],
	]);
}

/** Returns values that represent all of their kind, including those that belong to two kinds. */
function samplesOf(slot: Slot): readonly string[] {
	return slot.kind === "word" ? slot.of : SAMPLES[slot.kind];
}

const ADDRESS = `0x${"1".repeat(40)}`;

const SAMPLES: Readonly<Record<Exclude<Slot["kind"], "word">, readonly string[]>> = {
	amount: ["7", "0.5", "8453", "$7"],
	percent: ["50%"],
	asset: ["$aapl", ADDRESS, "base", "zork"],
	collection: [ADDRESS, "7", "24h", "base"],
	token: ["#7", "7"],
	chain: ["base", "8453", "eth"],
	address: [ADDRESS],
	window: ["24h"],
	period: ["24h", "7d", "october-utc", "2026-10"],
	id: ["0190b2c4-5d6e-7f80-9a1b-2c3d4e5f6071"],
};
