import type { Words } from "#agent/grammar/splitWords.ts";
import {
	ABSTRACT,
	CHAT,
	CHAT_VERBS,
	COMMON,
	DESCRIBING,
	ORDERS,
	PAST_FORMS,
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

/**
 * Returns true for a word that makes a text more than a question: an order, a condition, a denial.
 */
export function isOrderWord(low: string): boolean {
	return ORDERS.has(low) || REFUSED.has(low);
}

/** Returns true for such a word that is a verb: `sell`. */
export function isOrderVerb(low: string): boolean {
	return ORDERS.has(low);
}

/** Returns true for such a word that is no verb: nothing that is asked about is called so. */
export function isRefused({ low, proper }: Words, at: number): boolean {
	return REFUSED.has(low[at] ?? "") && !proper?.has(at);
}

/** The same for a word in its place: `the cheapest i can grab` orders nothing. */
export function isOrder(words: Words, at: number): boolean {
	const { low, isApart } = words;
	const word = low[at] ?? "";
	const [before = "", first = ""] = [low[at - 1], low[at - 2]];
	const next = low[at + 1] ?? "";
	if (REFUSED.has(word)) {
		if (word === "no" && (/^#?\d+$/.test(next) || CALMING.has(next) || next === "of")) return false;
		if (word === "not" && /^(?:just|only)$/.test(next)) return false;
		if (word === "not" || word === "no") return before !== "or";
		if (word === "if") return !ASKING.has(before) && !WISHING.has(next) && !isSupposed(words, at);
		if (word === "place") return !/^t(?:ake|akes|aken|aking|ook)$/.test(before);
		if (word === "should") return !(before === "i" && NOTING.has(next));
		if (word === "mine") return !isSupposed(words, at);
		// `is my azuki #12 rare` asks for a token; an order is seen by its verb.
		if (word === "my") {
			if (isSupposed(words, at)) return false;
			if ((PEOPLE.has(next) && !GIVING.has(before)) || REPORTING.has(low[at + 2] ?? ""))
				return false;
			// `the best bid i could dump my azuki into`
			if (ORDERS.has(before) && isWhatOneCould(low[at - 3] ?? "", first)) return false;
			if (NAMING.has(before)) {
				return low.some((one, n) => ORDERS.has(one) && !DETERMINING.has(low[n - 1] ?? ""));
			}
			return !low.some((one) => /^#?\d+$/.test(one)) || ORDERING.has(before);
		}
		if (word === "never") return !/^(?:heard|seen|saw|knew|tried|used)$/.test(low[at + 1] ?? "");
		if (word === "dont" || word === "don't") {
			return !(KNOWING.has(next) || (MODAL.has(next) && MISSING.has(low[at + 2] ?? "")));
		}
		return word !== "until" || !(DURATION.has(before) || next === "now");
	}
	// `need a flip`, `if i wanted to exit`
	const isLast = at === low.length - 1 || isApart[at + 1] === true;
	if (before === "a" && isLast && WISHED.has(first)) return false;
	if (isSupposed(words, at) || (word === "confirm" && CONFIRMED.has(next))) return false;
	if (LENGTHS.has(word) && at > 0) return false;
	// `can i still grab one`
	if (ORDERS.has(word) && before === "still" && isWhatOneCould(low[at - 3] ?? "", first))
		return false;
	// `how much do i need to grab one`: what it costs, and no order.
	if (before === "to" && COSTING.has(first)) return false;
	if (before === "to" && low.slice(0, at).includes("enough")) return false;
	if (before === "to" && first === "me" && /^(?:cost|take)s?$/.test(low[at - 3] ?? ""))
		return false;
	if (ORDERS.has(word) && (next === "me" || next === "us")) return true;
	if (BETWEEN.has(before) && isAuthors(low[at - 3] ?? "", first)) return false;
	return ORDERS.has(word) && !isWhatOneCould(first, before) && !OTHERS.has(before);
}

/** Returns true in what is only supposed in front of a question: `if i wanna exit, what is …`. */
function isSupposed({ low, isApart }: Words, at: number): boolean {
	let from = at;
	const isPart = (word: string) => SUPPOSED.has(word) || ORDERS.has(word) || PAST.has(word);
	while (from > 0 && !isApart[from]) {
		if (!isPart(low[from - 1] ?? "") && !/^\d+$/.test(low[from - 1] ?? "")) break;
		from -= 1;
	}
	if (SUPPOSING.has(low[at] ?? "")) from = at + 2;
	const isBegun = SUPPOSING.has(low[from - 2] ?? "") && SUPPOSERS.has(low[from - 1] ?? "");
	return isBegun && low.slice(at + 1).some((word) => QUESTIONS.has(word));
}

/** Lists words between who supposes something and what: `if i wanted to quickly exit`. */
const SUPPOSED = setOf(
	"want wanted wanna to need needed had have were decide decided try tried quickly just could of a one all",
);
const SUPPOSERS = setOf("i we one");
const SUPPOSING = setOf("if say suppose imagine assuming before");
/** `can i even exit` */
const BETWEEN = setOf("even still actually really just quickly easily");
/** `that i should know about` */
const NOTING = setOf("know check watch see put track follow look note mark");
const QUESTIONS = setOf("does do what whats what's how where wheres is are who which");
/** Behind someone of the author's own: `my principal wants to know`. */
const REPORTING = setOf("would wants want asks asked says said told thinks wonders keeps needs");
const PEOPLE = setOf(
	"client clients friend friends buddy mate bro brother sister cousin wife husband boss dad mom mum kid kids son daughter uncle aunt " +
		"colleague colleagues teacher partner girlfriend boyfriend neighbor neighbour nephew niece group article report " +
		"newsletter thesis homework friend's brother's cousin's",
);

/** Returns true behind whoever else does something: `wallets that hold`. */
export function isTold(before: string): boolean {
	return OTHERS.has(before);
}

/** Returns true behind `i can` or `can i`: what follows is no order. */
export function isWhatOneCould(first: string, before: string): boolean {
	return (ABLE.has(before) && PERSONS.has(first)) || (PERSONS.has(before) && ABLE.has(first));
}

/** Returns true behind `can i`: what the author could do is no order. */
function isAuthors(first: string, before: string): boolean {
	return isWhatOneCould(first, before) && /^(?:i|one)$/.test(PERSONS.has(first) ? first : before);
}

/** Returns true for a word that precedes a chain or a length of time, and goes with it. */
export function isBeforeValue(low: string): boolean {
	return BEFORE_VALUE.has(low);
}

/** After one of these words a verb is no name: `did azuki recover`. */
const HELPING = setOf("do does did will would can could may might to");
/** Directly after one of these words a verb is no part of a name: `to track azuki`. */
const MODAL = setOf(
	"to will would can could may might cant cannot couldnt gonna wanna tryna lemme please",
);
/** Directly after one of these words a form of a verb is none either: `i just sniped azuki`. */
const SPEAKERS = setOf(
	"i we he she they you u people ppl everyone anyone someone somebody anybody who whos been being " +
		"be still keeps keep already never ever just",
);
/** Lists subjects other than the author: a verb after one is no order (`did they sell`). */
const OTHERS = setOf(
	"that which wallets addresses owners collectors they people ppl anyone someone somebody anybody who everyone he she holders",
);
/** `the five cheapest` */
const COUNTS = setOf("two three four five six seven eight nine ten twelve twenty fifty");
const RANKING = setOf(
	"top last latest recent first past next best biggest cheapest lowest highest largest newest most",
);
const STRESSING = setOf(
	"how so too very it its it's thats that's really pretty quite as not more most",
);
const COSTING = setOf(
	"easy easier hard harder difficult need needed cost costs takes take much price eth have way cheapest possible",
);
const LENGTHS = setOf("long short");
const ORDERING = setOf("list delist burn mint stake");
/** These verbs need another one behind them: `did azuki finish minting`. */
const PHASES = setOf("finish start begin keep stop continue end");
const AUXILIARY = setOf(
	"is are was were be been has have had did does do whats what's hows how's whos who's who where wheres " +
		"people ppl anyone they",
);
const ABLE = setOf("can could may might");
const PERSONS = setOf("i we you u one");
const ASKING = setOf("sorry know see check idk wonder wondering ask tell sure curious");
/** `if you please` is no condition. */
const WISHING = setOf("you u possible poss ok okay thats that's available any");
/** `don't know` denies nothing that is asked. */
const KNOWING = setOf("know see remember get have understand care mind lie cap worry judge panic");
/** `dont wanna miss it` */
const MISSING = setOf("miss lose overpay sleep fomo");
/** Behind one of these words an order is a thing: `the best offer`. */
const DETERMINING = setOf("the best top highest any current lowest last biggest");
/** Behind one of these an order is only a wish or a thought: `considering a sweep`. */
const WISHED = setOf("need want considering planning about into after");
const GIVING = setOf("get give buy mint send grab sell transfer gift");
/** `confirm the owner of`: it asks. */
const CONFIRMED = setOf("the that if whether what who how");
const CALMING = setOf(
	"rush worries hurry cap joke idea clue problem problems biggie pressure cope lie",
);
const DURATION = setOf("long left time days hours much");
const BEFORE_VALUE = setOf("on in for over at within during the last past this of since from");
const WORD_LENGTH_MAX = 40;
const VERB_ENDING = /^[a-z]*[aeiouy][a-z]*(?:(?<=.{4})ing|(?<=.{3})(?<!e)ed)$/;
const LINKS = setOf("of and & the by");

/** Returns true for a word that only a name could have here: `moss people`. */
function isNoun(low: string): boolean {
	if (low === "" || isChatWord(low) || isOrderWord(low)) return false;
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
