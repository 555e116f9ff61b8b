// Returns the role of each word in a question, from the word lists.

import type { Words } from "#agent/grammar/splitWords.ts";
import {
	ABSTRACT,
	CHAT,
	CHAT_VERBS,
	COMMON,
	DESCRIBING,
	MODAL,
	ORDERS,
	PAST_FORMS,
	PEOPLE,
	REFUSED,
	TALK,
	VERBS,
} from "#agent/grammar/wordLists.ts";

/**
 * The roles of a word in a question. `chat` is never part of a name; `before` is part of one that
 * it directly precedes (`lazy lions`, not `lions looks rough`); `beside` of one on either side
 * (`sewer pass`); `open` words form names.
 */
export type Role = "chat" | "before" | "beside" | "open";

/** Returns the role of the word at this place. */
export function roleOf({ low, kinds, proper }: Words, at: number): Role {
	const word = low[at] ?? "";
	if (kinds[at] === "quoted" || proper?.has(at)) return "open";
	if (word === "people" && isNoun(low[at - 1] ?? "")) return "beside";
	if (CHAT.has(word) || PRESENT.has(word)) return "chat";
	if (word.endsWith("'s") && CHAT.has(word.slice(0, -2))) return "chat";
	const before = low[at - 1] ?? "";
	if (word === "mean" && before === "i") return "chat";
	if (before === "my" && PEOPLE.has(word)) return "chat";
	// Before the pattern, whose time grows with the square of a word's length.
	if (word.length > WORD_LENGTH_MAX) return "open";
	if (VERBS.has(word) || ORDERS.has(word)) {
		if (MODAL.has(before)) return "chat";
	} else if (SPEAKERS.has(before) && (PAST.has(word) || VERB_ENDING.test(word))) return "chat";
	if (COUNTS.has(word) && (RANKING.has(before) || RANKING.has(low[at + 1] ?? ""))) return "chat";
	// `how far`, `is it true`: said of something else than of the name behind it.
	if (DESCRIBING.has(word) && STRESSING.has(before)) return "chat";
	if (DESCRIBING.has(word) || PAST.has(word)) return "before";
	// The endings of an adverb and of a verb: `instantly`, `bottoming`, `sniped`.
	if (word.length > 5 && word.endsWith("ly")) return "before";
	if (VERB_ENDING.test(word))
		return low.slice(0, at).some((one) => AUXILIARY.has(one)) ? "before" : "beside";
	if (!VERBS.has(word)) return TALK.has(word) || ABSTRACT.has(word) ? "beside" : "open";
	const next = low[at + 1];
	const isLast = next === undefined || CHAT.has(next) || PHASES.has(word) || /^[\d.]+$/.test(next);
	return isLast && low.slice(0, at).some((one) => HELPING.has(one)) ? "chat" : "beside";
}

/** Returns those of the places whose words form names, by their roles and their neighbours. */
export function namePlaces(words: Words, places: readonly number[]): number[] {
	const roles = new Map(places.map((at) => [at, roleOf(words, at)]));
	const named = new Set(places.filter((at) => roles.get(at) === "open"));
	if (named.size === 0) {
		// `floor of floating` has no better word.
		for (const at of places) if (isMadeUp(words, at)) named.add(at);
	}
	for (const at of [...places].reverse()) {
		const isBefore = roles.get(at) === "before" || roles.get(at) === "beside";
		if (isBefore && named.has(at + 1) && !words.isApart[at + 1]) named.add(at);
	}
	for (const at of places) {
		if (roles.get(at) === "beside" && named.has(at - 1) && !words.isApart[at]) named.add(at);
	}
	for (const at of places) {
		// `mad lads of base`
		const isJoined =
			LINKS.has(words.low[at + 1] ?? "") && named.has(at + 2) && !words.isApart[at + 2];
		const isGeneral = TALK.has(words.low[at] ?? "") || isPieces(words, at);
		if (isJoined && isGeneral && roles.get(at) === "beside") {
			named.add(at);
			if (roles.get(at - 1) === "before") named.add(at - 1);
		}
	}
	for (const at of places) for (const link of linksAt(words, at, named)) named.add(link);
	return [...named].sort((a, b) => a - b);
}

/** Returns true for a usual word, which is dropped where another one is a name. */
export function isCommon(low: string): boolean {
	return COMMON.has(low) || ABSTRACT.has(low) || TALK.has(low) || VERBS.has(low);
}

/** Returns true for a general word that is no name alone: `stuff`. */
export function isVague(low: string): boolean {
	return ABSTRACT.has(low);
}

/** Returns true for a word that is never part of a name, wherever it stands. */
export function isChatWord(low: string): boolean {
	return CHAT.has(low) || PRESENT.has(low);
}

/** Returns true for a past form of a known verb: `sniped`. */
export function isPastForm(low: string): boolean {
	return PAST.has(low);
}

/** Returns true for a form of a known verb: `going`. */
export function isVerbForm(low: string): boolean {
	return PRESENT.has(low) || CHAT.has(low);
}

/** Returns true for a word that precedes a chain or a length of time, and goes with it. */
export function isBeforeValue(low: string): boolean {
	return BEFORE_VALUE.has(low);
}

/** After one of these words a verb is no name: `did azuki recover`. */
const HELPING = setOf("do does did will would can could may might to");
/** Directly after one of these words a form of a verb is none either: `i just sniped azuki`. */
const SPEAKERS = setOf(
	"i we he she they you u people ppl everyone anyone someone somebody anybody who whos been being " +
		"be still keeps keep already never ever just",
);
/** `the five cheapest` */
const COUNTS = setOf("two three four five six seven eight nine ten twelve twenty fifty");
const RANKING = setOf(
	"top last latest recent first past next best biggest cheapest lowest highest largest newest most",
);
const STRESSING = setOf(
	"how so too very it its it's thats that's really pretty quite as not more most",
);
/** These verbs need another one behind them: `did azuki finish minting`. */
const PHASES = setOf("finish start begin keep stop continue end");
const AUXILIARY = setOf(
	"is are was were be been has have had did does do whats what's hows how's whos who's who where wheres " +
		"people ppl anyone they",
);
const BEFORE_VALUE = setOf("on in for over at within during the last past this of since from");
const WORD_LENGTH_MAX = 40;
const VERB_ENDING = /^[a-z]*[aeiouy][a-z]*(?:(?<=.{4})ing|(?<=.{3})(?<!e)ed)$/;
const LINKS = setOf("of and & the by");

/** Returns true for a word that only a name could have here: `moss people`. */
function isNoun(low: string): boolean {
	if (low === "" || isChatWord(low) || ORDERS.has(low) || REFUSED.has(low)) return false;
	return !VERBS.has(low) && !DESCRIBING.has(low) && !PAST.has(low) && !ABSTRACT.has(low);
}

function isMadeUp({ low }: Words, at: number): boolean {
	const word = low[at] ?? "";
	if (!VERB_ENDING.test(word) || CHAT.has(word)) return false;
	return NAMING.has(low[at - 1] ?? "") && !PAST.has(word) && !DESCRIBING.has(word);
}

const NAMING = setOf("of for on in about");

/** Returns the places of words that join two parts of a name: `house of rust`. */
function linksAt({ low, isApart }: Words, at: number, named: ReadonlySet<number>): number[] {
	if (!named.has(at) || named.has(at + 1)) return [];
	if (ABSTRACT.has(low[at] ?? "") && !isPieces({ low, isApart }, at)) return [];
	const links: number[] = [];
	const before = low[at - 1] ?? "";
	let to = at + 1;
	const isBegun = at === 0 || isApart[at] === true;
	const joins = (low: string) =>
		LINKS.has(low) ||
		(PLACING.has(low) && (isBegun || NAMING.has(before))) ||
		(low === "in" && isBegun);
	while (joins(low[to] ?? "") && links.length < LINKED_MAX && !isApart[to]) {
		links.push(to);
		to += 1;
	}
	const isNamed = named.has(to) && !isApart[to] && low[at + 1] !== "the";
	return isNamed ? links : [];
}

/** Returns true for a general word that begins a name: `the lowest ask for bits of neon`. */
function isPieces({ low, isApart }: Pick<Words, "low" | "isApart">, at: number): boolean {
	const word = low[at] ?? "";
	if (!word.endsWith("s") || !ABSTRACT.has(word)) return false;
	if (low[at + 1] !== "of" || low[at + 2] === "the") return false;
	return !isApart[at] && (low[at - 1] === "for" || low[at - 1] === "of");
}

const LINKED_MAX = 2;
/** These join a name at its beginning only: `otherdeed for otherside`. */
const PLACING = setOf("past under over at to from with for before after beyond");

const PRESENT = new Set([...VERBS, ...CHAT_VERBS].flatMap((verb) => formsOf(verb, "ing")));
const PAST = new Set([...[...VERBS].flatMap((verb) => formsOf(verb, "ed")), ...PAST_FORMS]);

function setOf(list: string): ReadonlySet<string> {
	return new Set(list.split(" "));
}

/** Returns forms of a verb: `scanning`, `moving`; `checked`, `tried`. Not `runs`: also a plural. */
function formsOf(verb: string, end: "ing" | "ed"): string[] {
	const doubled = /[^aeiou][aeiou][bdgklmnprt]$/.test(verb) ? [`${verb}${verb.at(-1)}${end}`] : [];
	const stem = end === "ed" ? verb.replace(/([^aeiou])y$/, "$1i") : verb;
	return [`${stem.replace(/e$/, "")}${end}`, ...doubled];
}
