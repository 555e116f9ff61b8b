// Makes whole questions of one that leaves out what the last answer was about.

import { type FormItem, fillForm } from "#agent/grammar/forms.ts";
import type { SlotRules } from "#agent/grammar/readSlot.ts";
import { isDeciding, isFunctionWord, setOf, type Words } from "#agent/grammar/splitWords.ts";
import type { Command, Slot, SlotValues } from "#core/plugin/Tool.ts";

export type FollowRules = {
	rules: SlotRules;
	/** True for a word that shows a topic by itself. */
	isTopical(low: string): boolean;
};

type Subject = { command: Command; values: SlotValues };

/** The most words of such a question: a longer one says by itself what it is about. */
const WORDS_MAX = 12;
const OPENERS = setOf("and ok okay so also now then but");
const ABOUT = new Set(["what", "how", "what's", "hows", "how's"]);

/** The order in which what the subject says is left out: its chain first, its name last. */
const KINDS = ["name", "token", "time", "chain"] as const;
type Kind = (typeof KINDS)[number];

/** Holds a value of a subject, its kind, and how it is typed. */
type Said = { kind: Kind; value: string; typed: string };

/** A whole question, with what it took of the subject. */
type Whole = { text: string; kept: readonly Said[] };

/**
 * Returns the whole questions that a text may mean after an answer about this subject, the one that
 * takes most of the subject first: `and in the last hour?` after `volume kiln-folk 7d` is
 * `"kiln-folk", volume in the last hour`. They are still to be read: one in which two values meet,
 * or a word is left, is none. A name is replaced only where another is known, or asked for
 * (`what about night ferry`).
 */
export function followUps(
	typed: Words,
	subject: Subject & { form: FormItem[] },
	{ hasName, rules, isTopical }: FollowRules & { hasName: boolean },
): { wholes: Whole[]; isLed: boolean } {
	const { low, raw, kinds } = typed;
	const none = { wholes: [], isLed: false };
	if (low.length > WORDS_MAX || low.some((word) => rules.isReserved(word))) return none;
	let from = 0;
	while (OPENERS.has(low[from] ?? "")) from += 1;
	const isAbout = ABOUT.has(low[from] ?? "") && low[from + 1] === "about";
	if (isAbout) from += 2;
	const rest = raw
		.slice(from)
		.map((word, n) => (kinds[from + n] === "quoted" ? `"${word}"` : word));
	// `thanks` asks for nothing.
	if (low.slice(from).every(isFunctionWord)) return none;
	const hasTopic = low.slice(from).some((word, n) => kinds[from + n] === "word" && isTopical(word));
	const head = hasTopic ? "" : fillForm(subject.form, {}, () => "");
	const said = saidOf(subject);
	// `what about 0.1 eth` asks for no collection.
	const canRename = hasName || (isAbout && !low.slice(from).some(isDeciding));
	const wholes = subsets([...said.keys()])
		.filter((kept) => kept.includes("name") || canRename || !said.has("name"))
		.map((kept) => {
			const part = (kind: Kind) => (kept.includes(kind) ? (said.get(kind)?.typed ?? "") : "");
			const front = [part("name"), part("token")].filter((text) => text !== "");
			const end = [head, ...rest, part("time"), part("chain")].filter((text) => text !== "");
			const text = [...front, end.join(" ")].join(", ");
			return { text, kept: kept.flatMap((kind) => said.get(kind) ?? []) };
		});
	return { wholes, isLed: from > 0 };
}

/** Returns whether a reading has all that a whole question took of its subject, as what it was. */
export function keepsSubject({ command, values }: Subject, kept: readonly Said[]): boolean {
	return kept.every(({ kind, value }) =>
		Object.entries(values).some(([name, own]) => {
			const slot = command.slots[name];
			return own === value && slot !== undefined && typedAs(slot, own)?.[0] === kind;
		}),
	);
}

/** Returns the values of the last question by their kind, each as one would type it. */
function saidOf({ command, values }: Subject): Map<Kind, Said> {
	const said = new Map<Kind, Said>();
	for (const [name, value] of Object.entries(values)) {
		const slot = command.slots[name];
		const typed = slot && typedAs(slot, value);
		if (!typed || said.has(typed[0])) continue;
		said.set(typed[0], { kind: typed[0], value, typed: typed[1] });
	}
	return said;
}

function typedAs(slot: Slot, value: string): [Kind, string] | undefined {
	switch (slot.kind) {
		case "collection":
			return ["name", value.startsWith("0x") ? value : `"${value}"`];
		case "asset":
			return ["name", value.startsWith("0x") ? value : `$${value}`];
		case "token":
			return ["token", `#${value}`];
		case "window":
		case "period":
			return ["time", value];
		case "chain":
			return ["chain", `on ${value}`];
		default:
			return undefined;
	}
}

/** Returns all subsets, the largest first; of equal ones that with the earlier kinds. */
function subsets(kinds: readonly Kind[]): Kind[][] {
	const ordered = KINDS.filter((kind) => kinds.includes(kind));
	const all = ordered.reduceRight<Kind[][]>(
		(sets, kind) => [...sets.map((set) => [kind, ...set]), ...sets],
		[[]],
	);
	return all.toSorted((a, b) => b.length - a.length);
}
