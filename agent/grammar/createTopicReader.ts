import type { Entry } from "#agent/grammar/createReader.ts";
import { neededBy } from "#agent/grammar/parseForm.ts";
import { isNameWord, readAddress, readLooseWindow, readSlot } from "#agent/grammar/readSlot.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import type { Range } from "#agent/grammar/tolerance.ts";
import { createTopicSigns, type Signs, type TopicSigns } from "#agent/grammar/topicSigns.ts";
import type { Found, WalkRules } from "#agent/grammar/walkForms.ts";
import { isBeforeValue, isOrderWord, namePlaces, roleOf } from "#agent/grammar/wordRoles.ts";
import type { Command, Slot, SlotValues } from "#core/plugin/Command.ts";

export type TopicReader = Omit<TopicSigns, "find"> & {
	/** Reads a question by its topic; undefined where the topic is not clear. */
	read(words: Words): Found | undefined;
};

/**
 * Makes the reader of questions in any order of words: each word must belong to a topic, a value,
 * chat, or one name. One other word, a second name, a second topic, or a word of an order (`buy`,
 * `if`, `don't`) leaves the text unread.
 *
 * It serves only commands that read, and only where no form fits: the question is then mostly clear
 * from one word (`holders`), wherever it stands, and a wrong guess costs no money.
 */
export function createTopicReader(entries: readonly Entry[], rules: WalkRules): TopicReader {
	const signs = createTopicSigns(
		entries.map(({ command }) => command),
		rules,
	);
	const takers = new Map(entries.map((entry) => [entry.command, takerOf(entry)]));
	return {
		...signs,
		read(words) {
			if (words.low.length > WORDS_MAX || rules.isReserved(words.low[0] ?? "")) return undefined;
			const found = signs.find(words);
			if (found.size === 0) return undefined;
			const isTopic = new Set([...found.values()].flatMap((at) => [...at]));
			const values = readValues(words, isTopic, rules);
			return values && choose(found, takers, values);
		},
	};
}

const WORDS_MAX = 24;
const NAME_WORDS_MAX = 5;

/** The slots of a command: those that it needs, and the one for each kind of value. */
type Taker = { needed: ReadonlySet<string>; slotOf(kind: Slot["kind"]): string | undefined };

type Values = {
	name?: { value: string; range?: Range };
	window?: string;
	/** True where the window is only a word for the present: `today`. */
	isSaidOnly: boolean;
	chain?: string;
	token?: string;
};

function takerOf({ command, forms }: Entry): Taker {
	const slots = Object.entries(command.slots);
	return {
		needed: neededBy(forms[0] ?? []),
		slotOf: (kind) => slots.find(([, slot]) => slot.kind === kind)?.[0],
	};
}

/** Reads all words outside the topic; undefined where one of them is neither a value nor chat. */
function readValues(
	words: Words,
	isTopic: ReadonlySet<number>,
	rules: WalkRules,
): Values | undefined {
	const { low, raw, kinds } = words;
	const values: Values = { isSaidOnly: false };
	const rest: number[] = [];
	for (let at = 0; at < low.length; at++) {
		const word = low[at] ?? "";
		if (kinds[at] === "quoted" || readAddress(word, raw[at] ?? "") !== undefined) {
			if (values.name) return undefined;
			values.name = { value: readAddress(word, raw[at] ?? "") ?? raw[at] ?? "" };
			continue;
		}
		if (isTopic.has(at)) continue;
		const window = windowAt(words, at, rules);
		if (window) {
			if (values.window !== undefined && values.window !== window.value) return undefined;
			values.window = window.value;
			values.isSaidOnly = /^(?:to|yester)day$/.test(word);
			at += window.used - 1;
			continue;
		}
		const isSince = isVersus(word) && windowAt(words, at + 1, rules) !== undefined;
		const isNamed = word === "ape" && at > 0 && roleOf(words, at - 1) !== "chat";
		if (rules.isReserved(word)) return undefined;
		if (isOrderWord(word) && !isSince && !isNamed) return undefined;
		const chain = chainAt(words, at, { isTopic, rules });
		if (chain !== undefined) {
			if (values.chain !== undefined) return undefined;
			values.chain = chain;
		} else if (/^#?\d+$/.test(word)) {
			if (isCount(words, at)) continue;
			if (values.token !== undefined) return undefined;
			values.token = word.replace("#", "");
		} else if (!isSince) rest.push(at);
	}
	return withName(words, namePlaces(words, rest), values, { isTopic, rules });
}

function withName(
	words: Words,
	name: readonly number[],
	values: Values,
	{ isTopic, rules }: { isTopic: ReadonlySet<number>; rules: WalkRules },
): Values | undefined {
	const [from, to] = namedBy(words, name, isTopic);
	if (from === undefined || to === undefined) return name.length === 0 ? values : undefined;
	if (values.name || to - from > NAME_WORDS_MAX) return undefined;
	for (let at = from; at < to; at++) if (!isNameWord(words, at, rules)) return undefined;
	const value = words.raw.slice(from, to).join(" ").replace(/'s?$/, "");
	return { ...values, name: { value, range: { from, to } } };
}

/**
 * Returns the one run of words that is a name. One unknown word is tolerated beside a name that
 * follows `of` or a similar word: `most valuable traits on clonex`.
 */
function namedBy(
	words: Words,
	open: readonly number[],
	isTopic: ReadonlySet<number>,
): readonly number[] {
	const runs: [number, number][] = [];
	for (const at of open) {
		const last = runs.at(-1);
		if (last && last[1] === at && !words.isApart[at]) last[1] = at + 1;
		else runs.push([at, at + 1]);
	}
	const [run, other, ...more] = runs;
	if (!run || more.length > 0) return [];
	if (!other) return run;
	const [from, to] = run;
	// `otherdeed for otherside` is one name; `sales feed for azuki` contains one.
	const isOfName = NAMING.has(words.low[to] ?? "") && !isTopic.has(from - 1);
	return to - from === 1 && !isOfName && NAMING.has(words.low[other[0] - 1] ?? "") ? other : [];
}

const NAMING = new Set("of for on in".split(" "));

function windowAt(
	words: Words,
	at: number,
	rules: WalkRules,
): { value: string; used: number } | undefined {
	const value = readSlot({ kind: "window" }, words, at, rules);
	return value ? { value, used: 1 } : readLooseWindow(words, at, words.low.length);
}

/** Returns true for words of comparison with a time: `floor vs yesterday` is one question. */
function isVersus(low: string): boolean {
	return low === "vs" || low === "versus" || low === "than";
}

/**
 * Returns the chain at this place. A chain follows `on`, or comes last after a topic; elsewhere the
 * word is part of a name (`base gods`).
 */
function chainAt(
	words: Words,
	at: number,
	{ isTopic, rules }: { isTopic: ReadonlySet<number>; rules: WalkRules },
): string | undefined {
	const { low } = words;
	const chain = readSlot({ kind: "chain" }, words, at, rules);
	if (chain === undefined || /^\d+$/.test(low[at] ?? "")) return undefined;
	const isAtEnd = at > 0 && at === low.length - 1 && isTopic.has(at - 1);
	return isAtEnd || isBeforeValue(low[at - 1] ?? "") ? chain : undefined;
}

/** Returns true for a number of wanted answers (`top 10`), or one that replaces a word (`4 a`). */
function isCount({ low }: Words, at: number): boolean {
	if ((low[at] ?? "").length > 3) return false;
	const isFor = /^[24]$/.test(low[at] ?? "") && ARTICLES.has(low[at + 1] ?? "");
	return isFor || COUNTED.has(low[at - 1] ?? "");
}

const ARTICLES = new Set("a an the".split(" "));

const COUNTED = new Set(
	"top last latest recent first past next best biggest cheapest lowest highest".split(" "),
);

/**
 * Returns the command that fits the values and takes precedence over all others that do; undefined
 * where several remain.
 */
function choose(
	found: Signs,
	takers: ReadonlyMap<Command, Taker>,
	values: Values,
): Found | undefined {
	const fitting = [...found].flatMap(([command, places]) => {
		const taker = takers.get(command);
		const filled = taker && fill(taker, values);
		return filled ? [{ command, places, filled }] : [];
	});
	const best = fitting.filter((one) =>
		fitting.every((other) => one === other || isOver(one, other)),
	);
	const [only] = best;
	if (!only || best.length > 1) return undefined;
	const names = values.name?.range ? [values.name.range] : [];
	return { command: only.command, values: only.filled, names };
}

type Meant = { command: Command; places: ReadonlySet<number> };

function isOver(one: Meant, other: Meant): boolean {
	if (isMore(one.places, other.places)) return true;
	const names = one.command.topic?.over ?? [];
	return names.includes(other.command.name) && !isMore(other.places, one.places);
}

function isMore(places: ReadonlySet<number>, others: ReadonlySet<number>): boolean {
	return places.size > others.size && [...others].every((at) => places.has(at));
}

/** Returns the values of the command's slots; undefined if one is missing, or has no slot. */
function fill({ needed, slotOf }: Taker, values: Values): SlotValues | undefined {
	const filled: Record<string, string> = {};
	const given = [
		["collection", values.name?.value],
		["window", values.window],
		["chain", values.chain],
		["token", values.token],
	] as const;
	for (const [kind, value] of given) {
		if (value === undefined) continue;
		const slot = slotOf(kind);
		if (slot !== undefined) filled[slot] = value;
		else if (kind !== "window" || !values.isSaidOnly) return undefined;
	}
	return [...needed].every((slot) => slot in filled) ? filled : undefined;
}
