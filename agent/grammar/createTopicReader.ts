import { chooseName } from "#agent/grammar/chooseName.ts";
import { comparesPrice, MONEY } from "#agent/grammar/comparesPrice.ts";
import type { Entry } from "#agent/grammar/createReader.ts";
import { neededBy } from "#agent/grammar/parseForm.ts";
import {
	isNameWord,
	isOtherTime,
	readAddress,
	readLooseWindow,
	readSlot,
} from "#agent/grammar/readSlot.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import type { Range } from "#agent/grammar/tolerance.ts";
import { createTopicSigns, note, type Signs, type TopicSigns } from "#agent/grammar/topicSigns.ts";
import type { Found, WalkRules } from "#agent/grammar/walkForms.ts";
import {
	isBeforeValue,
	isChatWord,
	isOrder,
	isOrderWord,
	isTold,
	roleOf,
} from "#agent/grammar/wordRoles.ts";
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
			if (asksHow(words) || ordersMint(words)) return undefined;
			const found = signs.find(words);
			if (!words.low.some((word) => TOKEN.test(word))) {
				for (const command of found.keys())
					if (takers.get(command)?.needsToken) found.delete(command);
			}
			for (const [at, word] of words.low.entries()) {
				// `azuki #12` alone asks for that token.
				if (/^#\d+$/.test(word))
					for (const [command, taker] of takers) if (taker.needsToken) note(found, command, [at]);
			}
			const price = words.low.findIndex((_, at) => comparesPrice(words, at));
			if (price >= 0) {
				for (const command of takers.keys())
					if (command.topic?.takesPrice) note(found, command, [price]);
			}
			if (found.size === 0) return undefined;
			leaveNames(words, found);
			const isTopic = placesOf(found);
			const values = readValues(words, isTopic, rules);
			return values && choose(found, takers, values);
		},
	};
}

const TOKEN = /^#?\d+$/;
const WORDS_MAX = 24;
const NAME_WORDS_MAX = 5;

/** The slots of a command: those that it needs, and the one for each kind of value. */
type Taker = {
	needed: ReadonlySet<string>;
	needsToken: boolean;
	/** True where a length of time may be left out. */
	isTimeless: boolean;
	slotOf(kind: Slot["kind"]): string | undefined;
};

type Values = {
	/** `chain`: the name is that of a chain, too (`base drops`). */
	name?: { value: string; range?: Range; chain?: string | undefined };
	window?: string;
	/** True where the window is only a word for the present: `today`. */
	isSaidOnly: boolean;
	chain?: string;
	token?: string;
	/** Where the token's id stands, if it is without its sign. */
	tokenAt?: number;
	asset?: string;
	/** The name with a number behind it, which may be part of it: `normies 2049`. */
	numbered?: string;
	/** True where the question is about another time than now. */
	isPast: boolean;
	/** True where a price is compared with an amount. */
	isPriced: boolean;
};

/** Takes words from the topics that are part of a name, where something else shows what is asked. */
function leaveNames(words: Words, found: Signs): void {
	const isTopic = placesOf(found);
	for (const at of isTopic) {
		if (!isOfName(words, at, isTopic)) continue;
		const others = [...found].filter(([, places]) => !places.has(at));
		if (others.length === 0) continue;
		for (const [command, places] of found) {
			if (places.delete(at) && places.size === 0) found.delete(command);
		}
	}
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

/** Words of topics that names begin with, and that they end with. */
const FIRST_WORDS = new Set(
	"rekt degen degens moon book alpha bull hype meta bag bags dead tank tanks".split(" "),
);
const LAST_WORDS = new Set(
	"whales whale tanks tank degens moon bags prints bank runners rippers movers winners cards grails walls books movement".split(
		" ",
	),
);

function placesOf(found: Signs): Set<number> {
	return new Set([...found.values()].flatMap((at) => [...at]));
}

/** Returns true for a question for a way, which no figure answers: `how do i file taxes`. */
function asksHow({ low }: Words): boolean {
	return low.some((word, at) => {
		if (word !== "how" || !WAYS.has(low[at + 1] ?? "") || !PERSONS.has(low[at + 2] ?? ""))
			return false;
		return !LOOKS.has(low[at + 3] ?? "");
	});
}

/** Returns true for an order that looks like a question for mints: `mint me 3 degods`. */
function ordersMint(words: Words): boolean {
	const first = words.low.findIndex((_, at) => roleOf(words, at) !== "chat");
	const next = words.low[first + 1] ?? "";
	return words.low[first] === "mint" && (next === "me" || next === "us" || /^\d+$/.test(next));
}

const WAYS = new Set("do does can should would could did".split(" "));
const PERSONS = new Set("i we you u one people ppl".split(" "));
const LOOKS = new Set("see check find look view know tell get".split(" "));

function takerOf({ command, forms }: Entry): Taker {
	const slots = Object.entries(command.slots);
	const needed = neededBy(forms[0] ?? []);
	return {
		needed,
		needsToken: slots.some(([name, { kind }]) => kind === "token" && needed.has(name)),
		isTimeless: command.topic?.anyTime === true,
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
	const values: Values = {
		isSaidOnly: false,
		isPast: low.some((word) => PAST.has(word)),
		isPriced: low.some((_, at) => comparesPrice(words, at)),
	};
	const rest: number[] = [];
	for (let at = 0; at < low.length; at++) {
		const word = low[at] ?? "";
		if (kinds[at] === "quoted" || readAddress(word, raw[at] ?? "") !== undefined) {
			if (values.name) return undefined;
			values.name = { value: readAddress(word, raw[at] ?? "") ?? raw[at] ?? "" };
			continue;
		}
		if (comparesPrice(words, at)) {
			if (MONEY.has(low[at + 1] ?? "")) at += 1;
			continue;
		}
		const window = windowAt(words, at, rules);
		if (!window && isTopic.has(at) && !TOKEN.test(word)) continue;
		if (window) {
			if (values.window !== undefined && values.window !== window.value) return undefined;
			values.window = window.value;
			values.isSaidOnly = /^(?:to|yester)day(?:'?s)?$/.test(word);
			at += window.used - 1;
			continue;
		}
		const isNamed = word === "ape" && at > 0 && roleOf(words, at - 1) !== "chat";
		if (isOrderWord(word) && !isNamed) {
			const isSince = isVersus(word) && windowAt(words, at + 1, rules) !== undefined;
			if (isOrder(words, at) && !isSince && !(word === "than" && isCount(words, at + 1)))
				return undefined;
			continue;
		}
		if (/^\d*\.\d/.test(word)) return undefined;
		if (rules.isReserved(word) && isTold(low[at - 1] ?? "")) continue;
		if (rules.isReserved(word) || isOtherTime(words, at)) return undefined;
		const chain = chainAt(words, at, { isTopic, rules });
		if (chain !== undefined) {
			if (values.chain !== undefined) return undefined;
			values.chain = chain;
		} else if (/^\$[a-z]/.test(word)) {
			const asset = readSlot({ kind: "asset" }, words, at, rules);
			if (values.asset !== undefined || asset === undefined) return undefined;
			values.asset = asset;
		} else if (/^#?\d+$/.test(word)) {
			if (isCount(words, at)) continue;
			if (values.token !== undefined) return undefined;
			values.token = word.replace("#", "");
			if (word === values.token) values.tokenAt = at;
		} else rest.push(at);
	}
	return withName(words, rest, values, { isTopic, rules });
}

function withName(
	words: Words,
	rest: readonly number[],
	values: Values,
	{ isTopic, rules }: { isTopic: ReadonlySet<number>; rules: WalkRules },
): Values | undefined {
	const chain =
		rest.length === 1 ? readSlot({ kind: "chain" }, words, rest[0] ?? 0, rules) : undefined;
	const choice = chooseName(words, rest, isTopic);
	if (choice.kind === "none") return values;
	if (choice.kind === "unclear" || values.name) return undefined;
	const { from, to } = choice.range;
	if (to - from > NAME_WORDS_MAX) return undefined;
	for (let at = from; at < to; at++) if (!isNameWord(words, at, rules)) return undefined;
	const value = words.raw.slice(from, to).join(" ").replace(/'s?$/, "");
	const name = { value, range: { from, to }, chain };
	const { tokenAt } = values;
	if (tokenAt === to && !words.isApart[to]) {
		return { ...values, name, numbered: `${value} ${words.raw[to]}` };
	}
	// `404 ducks` at the beginning, or behind `of`; elsewhere it is how many.
	const isMany = words.low.includes("many") || words.isApart[from];
	const isFirst = tokenAt === 0 || words.isApart[from - 1] || isChatWord(words.low[from - 2] ?? "");
	const isNumbered = tokenAt !== undefined && tokenAt === from - 1 && !isMany && isFirst;
	return isNumbered
		? { ...values, name, numbered: `${words.raw[tokenAt]} ${value}` }
		: { ...values, name };
}

function windowAt(
	words: Words,
	at: number,
	rules: WalkRules,
): { value: string; used: number } | undefined {
	if (words.proper?.has(at) || isInName(words, at)) return undefined;
	const value = readSlot({ kind: "window" }, words, at, rules);
	return value ? { value, used: 1 } : readLooseWindow(words, at, words.low.length);
}

const PAST = new Set("was were ago back".split(" "));

/** Returns true for a word such as `day` between two words of a name: `rainy day rabbits`. */
function isInName(words: Words, at: number): boolean {
	if (!UNITS.has(words.low[at] ?? "") || words.isApart[at] || words.isApart[at + 1]) return false;
	const isOpen = (next: number) =>
		next >= 0 && next < words.low.length && roleOf(words, next) === "open";
	return isOpen(at - 1) && isOpen(at + 1);
}

const UNITS = new Set("hour day week month today weeks months".split(" "));

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
	const isAtEnd = at > 0 && at === low.length - 1 && (isTopic.has(at - 1) || words.isApart[at]);
	const isCalled =
		CALLED.has(low[at + 1] ?? "") && (at === 0 || words.isApart[at] || isTopic.has(at - 1));
	return isAtEnd || isCalled || (isBeforeValue(low[at - 1] ?? "") && low[at - 1] !== "of")
		? chain
		: undefined;
}

/** Behind one of these words a chain is no name: `base chain`, `base only`. */
const CALLED = new Set("chain network mainnet only one side".split(" "));

/** Returns true for a number of wanted answers (`top 10`), or one that replaces a word (`4 a`). */
function isCount(words: Words, at: number): boolean {
	const { low } = words;
	if ((low[at] ?? "").length > 3) return false;
	const isFor = /^[24]$/.test(low[at] ?? "") && ARTICLES.has(low[at + 1] ?? "");
	if (LIMITING.has(low[at - 1] ?? ""))
		return at + 1 < low.length && roleOf(words, at + 1) === "open";
	return isFor || COUNTED.has(low[at - 1] ?? "") || COUNTED.has(low[at + 1] ?? "");
}

const ARTICLES = new Set("a an the".split(" "));

/** In front of a number they say how many are meant: `more than 10 azukis`. */
const LIMITING = new Set(
	"than least over about around exactly another roughly only all like unload offload exit sell dump buy sweep grab list".split(
		" ",
	),
);

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
	// A number behind a name is the id of a token, where something is asked of one.
	const isOfToken = fitting.some(({ filled }) => filled.token !== undefined);
	const meant = isOfToken ? fitting.filter(({ filled }) => filled.token !== undefined) : fitting;
	if (values.isPriced && meant.some(({ command }) => !command.topic?.takesPrice)) return undefined;
	const best = meant.filter((one) => meant.every((other) => one === other || isOver(one, other)));
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
function fill({ needed, isTimeless, slotOf }: Taker, values: Values): SlotValues | undefined {
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
		} else if (kind !== "window") return undefined;
		else if (!values.isSaidOnly && (!isTimeless || values.isPast)) return undefined;
	}
	return [...needed].every((slot) => slot in filled) ? filled : undefined;
}
