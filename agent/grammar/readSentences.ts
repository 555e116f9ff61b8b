// Reads a text of several sentences as one command that only reads.

import { hasOrder, isOrder, isOrderVerb, isOrderWord } from "#agent/grammar/orders.ts";
import { plainWords } from "#agent/grammar/plainWords.ts";
import { type LooseReader, readLoose } from "#agent/grammar/readLoose.ts";
import { isOtherTime, isWindowWord, MONEY, type SlotRules } from "#agent/grammar/readSlot.ts";
import { type Words, withoutSigns } from "#agent/grammar/splitWords.ts";
import type { Look } from "#agent/grammar/walkForms.ts";
import { isCommon, isPastForm, roleOf } from "#agent/grammar/wordRoles.ts";

const LINKING = new Set(
	"and but so because cause cuz since as lol lmao ok well also bc tbh".split(" "),
);
const GREETING = new Set("hello hi hey greetings gm".split(" "));
const ARTICLES = new Set("a an the some one my our his her".split(" "));
const REPORTED_WORDS_MAX = 5;
const REPORTING = new Set(
	(
		"says said told claims thinks keeps won't wont isn't isnt doesn't doesnt asked asks wants needs " +
		"reckons swears is was are were has"
	).split(" "),
);
const SUBJECTS = new Set(
	(
		"i i'm im i've ive i'd i'll mine's we we're we've he she he's she's they they're it it's that's " +
		"thats someone someone's somebody people everybody everyone nobody nobody's trying thinking " +
		"considering planning hoping working writing watching reading bought sold minted been haven't havent asking"
	).split(" "),
);
const OWNED = new Set(
	"about a an my me out in into some to no been liquidated burned rekt".split(" "),
);
/** Matches what is asked for: `i want the floor`, and not `i want to snipe`. */
const ASKED_FOR =
	/ (?:want|need|like|wanna|after)(?: to)?(?: (?:know|see|check|have|get))? (?:the|a|an|its|all|how|what|who|every|any) /;
const WANTING = new Set("want need also".split(" "));
/** Matches what the bot is to do: `i need you to`, `remind me`. */
const CALLED_FOR = / you (?:to|can|may|should|must|have) | remind | alert | permission /;
const PAST_ENDING = /..(?<!e)ed$/;
const PAST_TIME = new Set("was were had have has been i've ive since ago".split(" "));
const CALLING = new Set("number no nr about token id is own mine's".split(" "));
const CONDITIONS = new Set("if when once unless until".split(" "));
const KNOWING = new Set("know see wondering wonder out sure check even as idk".split(" "));
const SIDES = new Set("chain side only".split(" "));
const PLANNING = new Set("to wanna gonna tryna and".split(" "));
const AUTHORS = new Set(
	"i i'm im we we're just trying thinking planning hoping considering".split(" "),
);

const SENTENCES_MAX = 5;
/** Behind something told, so few words are the whole question: `i'm selling azuki, floor now?`. */
const SHORT_QUESTION_MAX = 2;

const COURTESY = new Set(
	(
		"bom boa dia tarde noite buenos buenas dias tardes noches por favor muito obrigado obrigada muchas " +
		"gracias hola guten tag morgen abend bonjour salut merci beaucoup ciao grazie mille per favore s'il vous plaît plait svp " +
		"namaste shukriya arigato arigatou gozaimasu konnichiwa bhai yaar ji"
	).split(" "),
);

const ADDING = new Set(
	"can is are am did does do should just not nah what will still maybe it".split(" "),
);

const BE = new Set("is are did does do".split(" "));

const TELLING = new Set(
	"i i'm im ive i've id just wanna want thinking planning about if gonna going trying looking been got have my considering tempted".split(
		" ",
	),
);
const ASKING = new Set("how what whats what's where wheres who whos any is are".split(" "));
/** A word of talk, in place of one that counts for nothing. */
const NOTHING = "so";

const UNUSUAL_MAX = 2;
/** A sentence that begins so tells something, and asks for no second name. */
const STATING = new Set(
	"i i'm im ive i've been just my we he she they someone somebody everyone ppl people it it's its thats that's this sorry feels feel looks seems because cause since".split(
		" ",
	),
);
const WISHING = new Set("wanna want to gonna tryna".split(" "));
const OWNING = new Set("have got ive i've with only about around like for".split(" "));

/**
 * Reads a text as a command that only reads, of several sentences, too: what somebody tells of
 * themselves in front of the question counts for its name only (`just bought azuki, floor?`), and
 * talk beside the question counts for nothing.
 */
export function readSentences(typed: Words, reader: LooseReader): Look {
	const words = plainWords(withoutCourtesy(withoutSigns(typed)), reader.rules.isKnown);
	const sentences = words.isApart.includes(true, 1) ? sentencesOf(words) : [words];
	const told = sentences.length > 1 ? toldApart(words, reader) : undefined;
	const question = sentences.length > 1 ? withoutTelling(sentences, reader) : undefined;
	const isShort = (sentences.at(-1)?.low.length ?? 0) <= SHORT_QUESTION_MAX;
	const inQuestion = question && readLoose(question, reader);
	if (inQuestion?.found.some(({ values }) => values.collection !== undefined)) return inQuestion;
	const whole = firstRead(isShort ? [told, words] : [words], reader);
	if (whole) return whole;
	if (inQuestion && inQuestion.found.length > 0) return inQuestion;
	const rest = firstRead([withoutAfterthought(words, reader), told], reader);
	if (rest) return rest;
	const isSplit = sentences.length > 1 && sentences.length <= SENTENCES_MAX;
	return (isSplit && readOnlyOne(sentences, reader)) || readLoose(words, reader);
}

/**
 * Returns true for a sentence that begins as if somebody told something: `i'm trying to price
 * mine`, `a mate says there is supply left`. Whether it asks for something, too, is for `narrows`.
 */
export function isTelling({ low }: Words): boolean {
	let at = 0;
	while (LINKING.has(low[at] ?? "") && at < low.length - 1) at += 1;
	const [first = "", next = ""] = [low[at], low[at + 1]];
	if (ARTICLES.has(first)) {
		const near = low.slice(at + 1, at + REPORTED_WORDS_MAX);
		return near.some((word) => REPORTING.has(word) || isPastForm(word) || PAST_ENDING.test(word));
	}
	// `i mean the 7d one` corrects the question.
	if (next === "mean") return false;
	if (next === "from" && GREETING.has(first)) return true;
	if (SUBJECTS.has(first)) return low.length - at > 1;
	if (first === "got" || first === "have" || first === "had") return OWNED.has(next);
	// `don't sugarcoat it`
	if (first === "don't" || first === "dont") return !isOrderVerb(next);
	if (first === "would") return next === "love" || next === "like";
	return first === "just" ? next.endsWith("ing") || isPastForm(next) : false;
}

/**
 * Returns true where a sentence that tells something is more than an aside: it names a chain, an
 * id, a time, a condition, an order, or what else is wanted.
 */
export function narrows(
	words: Words,
	{ chains, isTopic }: Pick<SlotRules, "chains"> & { isTopic(low: string): boolean },
): boolean {
	const { low } = words;
	const text = ` ${low.join(" ")} `;
	if (low.some((word, at) => WANTING.has(word) && isTopic(low[at + 1] ?? ""))) return true;
	if ((ASKED_FOR.test(text) && low.some(isTopic)) || CALLED_FOR.test(text)) return true;
	const isPast = low.some(
		(word) => PAST_TIME.has(word) || isPastForm(word) || PAST_ENDING.test(word),
	);
	return low.some((word, at) => {
		const [before = "", next = ""] = [low[at - 1], low[at + 1]];
		if (/^#?\d+$/.test(word) && (word.startsWith("#") || CALLING.has(before))) return true;
		if (CONDITIONS.has(word) && !KNOWING.has(before)) return true;
		if (ordersIn(words, at)) return true;
		const isChain = /^[a-z]/.test(word) && chains.bySlug(word) !== undefined;
		if (isChain && (!MONEY.has(word) || before === "on" || SIDES.has(next))) return true;
		const isTime = isWindowWord(word) || isOtherTime(words, at);
		return isTime && (!isPast || before === "all");
	});
}

/** Splits words at the signs between them. */
export function sentencesOf(words: Words): Words[] {
	return startsOf(words).map((from, n, starts) => {
		return slice(words, from, starts[n + 1] ?? words.low.length);
	});
}

/** Returns the words of one part of a text. */
export function slice(words: Words, from: number, to: number): Words {
	const part = <T>(list: T[]) => list.slice(from, to);
	const { raw, low, starts, kinds, isApart, proper } = words;
	const own = [...(proper ?? [])].map((place) => place - from);
	const lists = { raw: part(raw), low: part(low), starts: part(starts), kinds: part(kinds) };
	return { ...words, ...lists, isApart: part(isApart), proper: new Set(own) };
}

/** Returns the places at which sentences begin. */
function startsOf({ low, isApart }: Words): number[] {
	return [...low.keys()].filter((at) => at === 0 || isApart[at]);
}

/** Returns one text of two parts. */
export function joined(one: Words, other: Words): Words {
	const length = one.low.length;
	const proper = [...(one.proper ?? []), ...[...(other.proper ?? [])].map((at) => at + length)];
	return {
		kind: "words",
		raw: [...one.raw, ...other.raw],
		low: [...one.low, ...other.low],
		starts: [...one.starts, ...other.starts],
		kinds: [...one.kinds, ...other.kinds],
		isApart: [...one.isApart, ...other.isApart],
		hasSigns: false,
		proper: new Set(proper),
	};
}

/** Returns the words with talk in place of sentences of thanks and greetings: `bom dia!`. */
function withoutCourtesy(words: Words): Words {
	if (!words.low.some((low) => COURTESY.has(low))) return words;
	const low = sentencesOf(words).flatMap((one) => {
		return one.low.every((word) => COURTESY.has(word)) ? one.low.map(() => NOTHING) : one.low;
	});
	return { ...words, low };
}

/**
 * Returns the words without those by which somebody tells what they did or want to do; undefined
 * where nobody does, or nothing else is asked behind it.
 */
function toldApart(words: Words, { rules, topics }: LooseReader): Words | undefined {
	if (hasOrder(words)) return undefined;
	const starts = startsOf(words);
	const low = [...words.low];
	let isTold = false;
	for (const [n, from] of starts.slice(0, -1).entries()) {
		if (!TELLING.has(low[from] ?? "")) continue;
		isTold = true;
		for (let at = from; at < (starts[n + 1] ?? low.length); at++) {
			const word = low[at] ?? "";
			const isMany = /^\d+$/.test(word) && isOrderWord(words.low[at - 1] ?? "");
			const isDone = isMany || rules.isReserved(word) || isOrderWord(word) || topics.isOfAny(word);
			if (isDone) low[at] = NOTHING;
		}
	}
	const isAsked = low.slice(starts.at(-1)).some((word) => topics.isOfAny(word) || ASKING.has(word));
	return isTold && isAsked ? { ...words, low } : undefined;
}

/**
 * Returns the words without the sentences in which somebody only tells something; undefined where
 * there are none, nothing else, or one that narrows the question.
 */
function withoutTelling(
	sentences: readonly Words[],
	{ rules, topics }: LooseReader,
): Words | undefined {
	const kept = sentences.filter((one) => !isTelling(one));
	if (kept.length === 0 || kept.length === sentences.length) return undefined;
	const isTopic = topics.isOfAny;
	// A name alone is no question where what is left out asks something.
	const isAsked = kept.some((one) => one.low.some(isTopic));
	if (!isAsked && sentences.some((one) => one.low.some(isTopic))) return undefined;
	const isNarrow = sentences.some((one) => {
		return (
			!kept.includes(one) &&
			(hasOtherName(one, kept) || narrows(one, { chains: rules.chains, isTopic }))
		);
	});
	return isNarrow ? undefined : kept.reduce(joined);
}

/** Returns true for a sentence with a name in quotes, or a ticker, that the others have not. */
function hasOtherName({ low, kinds }: Words, others: readonly Words[]): boolean {
	return low.some((word, at) => {
		const isName = kinds[at] === "quoted" || /^\$[a-z]/.test(word);
		return isName && !others.some((one) => one.low.includes(word));
	});
}

/** Reads the first of these that is read. */
function firstRead(all: readonly (Words | undefined)[], reader: LooseReader): Look | undefined {
	for (const words of all) {
		const look = words && readLoose(words, reader);
		if (look && look.found.length > 0) return look;
	}
	return undefined;
}

/** Returns the words in front of an `or` with only talk behind it: `or can it take size`. */
function withoutAfterthought(words: Words, reader: LooseReader): Words | undefined {
	const or = words.low.lastIndexOf("or");
	if (or <= 0 || or === words.low.length - 1) return undefined;
	const tail = slice(words, or + 1, words.low.length);
	// `or is oddbods done`: the name that is asked about.
	const isNamed = roleOf(tail, 1) === "open" && !isCommon(tail.low[1] ?? "");
	const isSaid =
		ADDING.has(tail.low[0] ?? "") &&
		!(BE.has(tail.low[0] ?? "") && isNamed) &&
		isTalked({ ...tail, low: ["it", ...tail.low.slice(1)] }, reader);
	return isSaid ? slice(words, 0, or) : undefined;
}

/** Returns true for a sentence that neither asks nor orders: `i am new here`. */
function isTalked(words: Words, { rules, topics }: LooseReader): boolean {
	const { low, kinds } = words;
	const [first = ""] = low;
	if (hasOrder(words)) return false;
	if (low.length === 1 && topics.isOfAny(first)) return false;
	// `not asks`: what is not asked for.
	if (first === "not" && low.slice(1).every((word) => topics.isOfAny(word))) return true;
	const talk = low.filter((_, at) => roleOf(words, at) === "chat").length;
	let unusual = STATING.has(first) ? Math.min(UNUSUAL_MAX, talk - 1) : 0;
	return low.every((word, at) => {
		const before = low[at - 1] ?? "";
		if (WISHING.has(before) && (rules.isReserved(word) || isOrderWord(word))) {
			return at >= low.length - 2;
		}
		if (kinds[at] !== "word" || rules.isReserved(word)) return false;
		const isOn = before === "on" || /^(?:chain|side)$/.test(low[at + 1] ?? "");
		if (/^#\d/.test(word) || (isOn && rules.chains.bySlug(word))) return false;
		if (/^(?:number|nr|id)$/.test(before) && /\d/.test(word)) return false;
		if (/\d/.test(word)) return OWNING.has(before) || at === low.length - 1;
		if (isOrderWord(word)) return word === "my" || !isOrder(words, at);
		if (isCommon(word) || roleOf(words, at) !== "open" || rules.isKnown(word)) return true;
		unusual -= 1;
		return unusual >= 0;
	});
}

/** Reads the one sentence that is read where the others are talk. */
function readOnlyOne(sentences: readonly Words[], reader: LooseReader): Look | undefined {
	const looks = sentences.map((one) => readLoose(one, reader));
	const [only, ...others] = looks.filter(({ found }) => found.length > 0);
	if (!only || others.length > 0) return undefined;
	const isBare = only.found[0]?.command.topic?.ofName === true;
	const isTalk = looks.every((one) => {
		if (one === only) return true;
		return isTalked(one.words, reader) && !(isBare && one.words.low.some(reader.topics.isOfAny));
	});
	return isTalk ? only : undefined;
}

/**
 * Returns true for an order verb. Not for a plan without a price (`i want to sell`), nor for a noun
 * (`a bid`).
 */
function ordersIn(words: Words, at: number): boolean {
	const { low } = words;
	const [word = "", before = "", next = ""] = [low[at], low[at - 1], low[at + 1]];
	if (!isOrderVerb(word) || ARTICLES.has(before) || next === "me") return false;
	const isPlanned =
		PLANNING.has(before) && AUTHORS.has(low[0] ?? "") && !low.some((one) => /\d/.test(one));
	return !isPlanned && isOrder(words, at);
}
