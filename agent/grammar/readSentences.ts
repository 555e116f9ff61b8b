import { isTelling, narrows } from "#agent/grammar/asides.ts";
import type { Look } from "#agent/grammar/createReader.ts";
import { hasOrder } from "#agent/grammar/hasOrder.ts";
import { isOrder, isOrderWord } from "#agent/grammar/orders.ts";
import { plainWords } from "#agent/grammar/plainWords.ts";
import { type LooseReader, readLoose } from "#agent/grammar/readLoose.ts";
import { joined, sentencesOf, slice, startsOf } from "#agent/grammar/sentences.ts";
import { type Words, withoutSigns } from "#agent/grammar/splitWords.ts";
import { isCommon, roleOf } from "#agent/grammar/wordRoles.ts";

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

/** Reads the first of these that is read. */
function firstRead(all: readonly (Words | undefined)[], reader: LooseReader): Look | undefined {
	for (const words of all) {
		const look = words && readLoose(words, reader);
		if (look && look.found.length > 0) return look;
	}
	return undefined;
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

const SENTENCES_MAX = 5;
/** Behind something told, so few words are the whole question: `i'm selling azuki, floor now?`. */
const SHORT_QUESTION_MAX = 2;

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

/** Returns the words with talk in place of sentences of thanks and greetings: `bom dia!`. */
function withoutCourtesy(words: Words): Words {
	if (!words.low.some((low) => COURTESY.has(low))) return words;
	const low = sentencesOf(words).flatMap((one) => {
		return one.low.every((word) => COURTESY.has(word)) ? one.low.map(() => NOTHING) : one.low;
	});
	return { ...words, low };
}

const COURTESY = new Set(
	(
		"bom boa dia tarde noite buenos buenas dias tardes noches por favor muito obrigado obrigada muchas " +
		"gracias hola guten tag morgen abend bonjour salut merci beaucoup ciao grazie mille per favore s'il vous plaît plait svp " +
		"namaste shukriya arigato arigatou gozaimasu konnichiwa bhai yaar ji"
	).split(" "),
);

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

const ADDING = new Set(
	"can is are am did does do should just not nah what will still maybe it".split(" "),
);

const BE = new Set("is are did does do".split(" "));

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

const TELLING = new Set(
	"i i'm im ive i've id just wanna want thinking planning about if gonna going trying looking been got have my considering tempted".split(
		" ",
	),
);
const ASKING = new Set("how what whats what's where wheres who whos any is are".split(" "));
/** A word of talk, in place of one that counts for nothing. */
const NOTHING = "so";

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
		if (WANTING.has(before) && (rules.isReserved(word) || isOrderWord(word))) {
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

const UNUSUAL_MAX = 2;
/** A sentence that begins so tells something, and asks for no second name. */
const STATING = new Set(
	"i i'm im ive i've been just my we he she they someone somebody everyone ppl people it it's its thats that's this sorry feels feel looks seems because cause since".split(
		" ",
	),
);
const WANTING = new Set("wanna want to gonna tryna".split(" "));
const OWNING = new Set("have got ive i've with only about around like for".split(" "));
