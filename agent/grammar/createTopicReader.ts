// Reads a question by its topic, in any order of words.

import { type Entry, neededBy } from "#agent/grammar/forms.ts";
import { hasOrder } from "#agent/grammar/orders.ts";
import { comparesPrice, isWindowWord } from "#agent/grammar/readSlot.ts";
import { readValues, type Values } from "#agent/grammar/readValues.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import {
	createTopicSigns,
	note,
	placesOf,
	type Signs,
	type TopicSigns,
} from "#agent/grammar/topicSigns.ts";
import type { Found, WalkRules } from "#agent/grammar/walkForms.ts";
import { roleOf } from "#agent/grammar/wordRoles.ts";
import type { Command, Slot, SlotValues } from "#core/plugin/Tool.ts";

/** The slots of a command: those that it needs, and the one for each kind of value. */
export type Taker = {
	needed: ReadonlySet<string>;
	needsToken: boolean;
	/** True where a length of time may be left out. */
	isTimeless: boolean;
	/** The only chain that it is about; null: it takes any, or none. */
	onlyChain: string | null;
	slotOf(kind: Slot["kind"]): string | undefined;
};

export type TopicReader = Omit<TopicSigns, "find"> & {
	/** Reads a question by its topic; undefined where the topic is not clear. */
	read(words: Words): Found | undefined;
};

type Meant = { command: Command; places: ReadonlySet<number> };

/** Words of topics that names begin with, and that they end with. */
const FIRST_WORDS = new Set(
	"rekt degen degens moon book alpha bull hype meta bag bags dead tank tanks".split(" "),
);
const LAST_WORDS = new Set(
	(
		"whales whale tanks tank degens moon bags prints bank runners rippers movers winners cards " +
		"grails walls books movement alpha"
	).split(" "),
);

const WORDS_MAX = 24;

/** In front of a name they ask to be told later: `watch azuki`. */
const FOLLOWING = new Set("watch follow track monitor alert open close".split(" "));
/** A name beside one of these is asked for more than what it is. */
const COUNTING = /^(?:how (?:many|much)|(?:when|why|who) )/;

const TOLD_WORDS_MAX = 8;
const DONE = new Set("bought paid got minted aped grabbed sniped copped".split(" "));

const MAKING = new Set("write draw translate generate compose sing paint code".split(" "));
const THINKING = new Set("think reckon recommend suggest feel believe predict expect".split(" "));
const YOU = new Set("you u ya y'all all everyone".split(" "));
const LATER = new Set("tomorrow later soon tonight around again".split(" "));
const WAYS = new Set("do does can should would could did".split(" "));
const PERSONS = new Set("i we you u one people ppl".split(" "));
const LOOKS = new Set("see check find look view know tell get".split(" "));

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
			if (asksHow(words) || isOrdered(words) || isTalkOnly(words)) return undefined;
			const found = signs.find(words);
			noteValues(words, found, takers);
			if (found.size === 0) return undefined;
			leaveNames(words, found);
			const isTopic = placesOf(found);
			const values = readValues(words, isTopic, rules);
			return values && chooseCommand(found, takers, values);
		},
	};
}

/** Returns what a command takes. */
export function takerOf({ command, forms }: Entry): Taker {
	const slots = Object.entries(command.slots);
	const needed = neededBy(forms[0] ?? []);
	return {
		needed,
		needsToken: slots.some(([name, { kind }]) => kind === "token" && needed.has(name)),
		isTimeless: command.topic?.anyTime === true,
		onlyChain: command.topic?.chain ?? null,
		slotOf: (kind) => slots.find(([, slot]) => slot.kind === kind)?.[0],
	};
}

/**
 * Returns the command that fits the values and takes precedence over all others that do; undefined
 * where several remain.
 */
function chooseCommand(
	found: Signs,
	takers: ReadonlyMap<Command, Taker>,
	values: Values,
): Found | undefined {
	const fitting = [...found].flatMap(([command, places]) => {
		const taker = takers.get(command);
		const filled = taker && fill(taker, values);
		return filled ? [{ command, places, filled, isOfToken: taker.needsToken }] : [];
	});
	// A number behind a name is the id of a token, where something is asked of one.
	const isOfToken = fitting.some((one) => one.isOfToken);
	const meant = isOfToken ? fitting.filter((one) => one.isOfToken) : fitting;
	const best = meant.filter((one) => meant.every((other) => one === other || isOver(one, other)));
	const [only] = best;
	if (!only || best.length > 1) return undefined;
	if (values.isPriced && !only.command.topic?.takesPrice) return undefined;
	const names = values.name?.range ? [values.name.range] : [];
	return { command: only.command, values: only.filled, names };
}

/** Takes words of a name from the topics, where something else shows what is asked. */
function leaveNames(words: Words, found: Signs): void {
	const isTopic = placesOf(found);
	for (const at of isTopic) {
		if (!isOfName(words, at, isTopic)) continue;
		const isAsked = words.proper?.has(at)
			? [...isTopic].some((place) => !words.proper?.has(place))
			: [...found.values()].some((places) => !places.has(at));
		if (!isAsked) continue;
		for (const [command, places] of found) {
			if (places.delete(at) && places.size === 0) found.delete(command);
		}
	}
}

/** Returns true for a question for a way, which no figure answers: `how do i file taxes`. */
function asksHow({ low }: Words): boolean {
	return low.some((word, at) => {
		if (word !== "how" || !WAYS.has(low[at + 1] ?? "") || !PERSONS.has(low[at + 2] ?? ""))
			return false;
		return !LOOKS.has(low[at + 3] ?? "");
	});
}

/** Returns true for an order that looks like a question: `mint me 3 degods`, `remind me when …`. */
function isOrdered(words: Words): boolean {
	if (hasOrder(words)) return true;
	if (
		words.low.some(
			(word, at) => word === "remind" && /^(?:when|if|once)$/.test(words.low[at + 2] ?? ""),
		)
	) {
		return true;
	}
	const first = words.low.findIndex((_, at) => roleOf(words, at) !== "chat");
	const next = words.low[first + 1] ?? "";
	return words.low[first] === "mint" && (next === "me" || next === "us" || /^\d+$/.test(next));
}

/** Returns true for `see you tomorrow`, `do you think …`, and `write me a tweet`. */
function isTalkOnly({ low }: Words): boolean {
	return low.some((word, at) => {
		const [next = "", later = ""] = [low[at + 1], low[at + 2]];
		if (word === "see") return YOU.has(next) && LATER.has(later);
		if (MAKING.has(word)) return next === "me" || next === "us" || next === "a";
		return (word === "you" || word === "u") && THINKING.has(next);
	});
}

/** Adds what values show (`azuki #12`, `still above 2`); removes tokens where there is no id. */
function noteValues(words: Words, found: Signs, takers: ReadonlyMap<Command, Taker>): void {
	const { low } = words;
	const hasId = low.some((word) => /^#?\d+$/.test(word));
	const signed = [...low.keys()].filter((at) => /^#\d+$/.test(low[at] ?? ""));
	const tickers = [...low.keys()].filter((at) => /^\$[a-z]/.test(low[at] ?? ""));
	if (!hasId) for (const [command, { needsToken }] of takers) if (needsToken) found.delete(command);
	const isBare = found.size === 0;
	const asksMore = low.some((word, at) => COUNTING.test(`${word} ${low[at + 1]}`));
	const names =
		isBare && !asksMore && !FOLLOWING.has(low[0] ?? "") && !low.some(isWindowWord)
			? [...low.keys()].filter((at) => words.kinds[at] === "quoted")
			: [];
	const price = low.findIndex((_, at) => comparesPrice(words, at));
	for (const [command, { needsToken }] of takers) {
		if (needsToken && signed.length > 0) note(found, command, signed);
		const isAsked = isBare || found.has(command);
		if (command.topic?.ofTicker && tickers.length > 0 && isAsked) note(found, command, tickers);
		if (command.topic?.ofName && names.length > 0) note(found, command, names);
		if (command.topic?.takesPrice && price >= 0) note(found, command, [price]);
	}
	if (price >= 0) leaveTold(words, found, price);
}

/** Removes what somebody once did at a price: `bought azuki at 0.9, what is it worth`. */
function leaveTold({ low }: Words, found: Signs, price: number): void {
	for (let at = Math.max(0, price - TOLD_WORDS_MAX); at < price; at++) {
		if (!DONE.has(low[at] ?? "")) continue;
		for (const places of found.values()) places.delete(at);
	}
	for (const [command, places] of found) if (places.size === 0) found.delete(command);
}

/** Returns the values of the command's slots; undefined if one is missing, or has no slot. */
function fill(
	{ needed, isTimeless, onlyChain, slotOf }: Taker,
	values: Values,
): SlotValues | undefined {
	const filled: Record<string, string> = {};
	const given = [
		["collection", values.name?.value],
		["window", values.window],
		["chain", values.chain],
		["token", values.token],
		["asset", values.asset],
	] as const;
	for (const [kind, value] of given) {
		if (value === undefined) continue;
		const slot = slotOf(kind);
		const [named, chained] = [slotOf("collection"), slotOf("chain")];
		if (slot !== undefined) filled[slot] = value;
		else if (kind === "token" && values.numbered !== undefined && named !== undefined) {
			filled[named] = values.numbered;
		} else if (kind === "collection" && values.name?.chain && chained !== undefined) {
			if (values.chain !== undefined) return undefined;
			filled[chained] = values.name.chain;
		} else if (kind === "chain" && value === onlyChain) continue;
		else if (kind !== "window") return undefined;
		else if (!values.isSaidOnly && (!isTimeless || values.isPast)) return undefined;
	}
	return [...needed].every((slot) => slot in filled) ? filled : undefined;
}

function isOver(one: Meant, other: Meant): boolean {
	if (isMore(one.places, other.places)) return true;
	const names = one.command.topic?.over ?? [];
	return names.includes(other.command.name) && !isMore(other.places, one.places);
}

function isMore(places: ReadonlySet<number>, others: ReadonlySet<number>): boolean {
	return places.size > others.size && [...others].every((at) => places.has(at));
}

/** Returns true for a word beside a name that may be part of it: `rekt rats`, `Wonky Whales`. */
function isOfName(words: Words, at: number, isTopic: ReadonlySet<number>): boolean {
	const { low, isApart, proper } = words;
	const isOpen = (next: number) =>
		!isTopic.has(next) && next < low.length && roleOf(words, next) === "open";
	const isBefore = at > 0 && !isApart[at] && isOpen(at - 1);
	const isDescribed =
		at > 0 && !isApart[at] && !isTopic.has(at - 1) && roleOf(words, at - 1) === "before";
	const isBehind = !isApart[at + 1] && isOpen(at + 1);
	if (proper?.has(at)) return isBefore || isBehind;
	const word = low[at] ?? "";
	return (FIRST_WORDS.has(word) && isBehind) || (LAST_WORDS.has(word) && (isBefore || isDescribed));
}
