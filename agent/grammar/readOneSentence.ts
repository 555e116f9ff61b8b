import type { Look } from "#agent/grammar/createReader.ts";
import { sentencesOf, slice } from "#agent/grammar/readSentences.ts";
import { isOtherTime, isWindowWord, type SlotRules } from "#agent/grammar/readSlot.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import { isOrder, isOrderWord } from "#agent/grammar/wordRoles.ts";

export type SentenceReading = { rules: Pick<SlotRules, "chains">; read(words: Words): Look };

/**
 * Reads the one of several sentences that asks something, with the name from another one where it
 * has none: `been watching azuki for weeks, what is the volume`. What the others say counts for
 * nothing, so none of them may have a time, a chain or a number in it. `isQuestion`: it follows
 * other sentences and begins like a question, so it is one whatever they say.
 */
export function readOneSentence(
	words: Words,
	{ rules, read }: SentenceReading,
): { look: Look; isQuestion: boolean } | undefined {
	const isChain = (low: string) => rules.chains.bySlug(low) !== undefined;
	const sentences = sentencesOf(words);
	if (sentences.length < 2 || sentences.length > SENTENCES_MAX) return undefined;
	const at = words.low.findIndex((low, n) => words.kinds[n] === "quoted" || low.startsWith("$"));
	let to = /^#?\d+$/.test(words.low[at + 1] ?? "") ? at + 2 : at + 1;
	if (words.low[to] === "on" && isChain(words.low[to + 1] ?? "")) to += 2;
	const name = slice(words, at, to);
	const bare = keyOf(read(name));
	const begins = (n: number, list: ReadonlySet<string>) => list.has(sentences[n]?.low[0] ?? "");
	const asked = sentences.flatMap((sentence, n) => {
		const isNamed = sentence.low.includes(name.low[0] ?? "");
		const look = read(isNamed ? sentence : joined(name, sentence));
		const key = keyOf(look);
		return key === undefined ? [] : [{ n, look, key, isNamed }];
	});
	const more = asked.filter(({ key }) => key !== bare);
	const said =
		more.length > 0 ? more : asked.filter(({ n, isNamed }) => isNamed || begins(n, ASKING));
	const questions = said.filter(({ n }) => begins(n, QUESTIONS));
	const [one, ...others] = questions.length > 0 ? questions : said;
	if (!one || others.some(({ key }) => key !== one.key)) return undefined;
	const isLeft = (n: number) => n !== one.n && !asked.some((other) => other.n === n);
	if (one.key === bare && sentences.some((_, n) => isLeft(n) && begins(n, ASKING)))
		return undefined;
	const rest = sentences.filter((_, n) => n !== one.n);
	if (rest.some((other) => saysMore(other, name, isChain))) return undefined;
	return { look: one.look, isQuestion: one.n > 0 && begins(one.n, ASKING) };
}

const SENTENCES_MAX = 5;
/** A sentence behind others that begins so is the question. */
const ASKING = new Set("what whats what's how hows how's where wheres who whos which".split(" "));
const QUESTIONS = new Set(
	"what whats what's how hows how's who whos where wheres is are does do did has have any which can could give show tell".split(
		" ",
	),
);
/** Who begins so tells of themselves: what they once paid is no part of the question. */
const TELLING = new Set(
	"i i'm im ive i've wen when my we it it's its bought been haven't havent".split(" "),
);

/** Returns the same text for the same reading; undefined where there is not one. */
function keyOf({ found: [one, ...others] }: Look): string | undefined {
	if (!one || others.length > 0) return undefined;
	return JSON.stringify([one.command.name, one.values]);
}

/** Returns a sentence with a name in front of it. */
function joined(name: Words, sentence: Words): Words {
	const parts = {
		raw: [...name.raw, ...sentence.raw],
		low: [...name.low, ...sentence.low],
		starts: [...name.starts, ...sentence.starts],
	};
	const kinds = [...name.kinds, ...sentence.kinds];
	const isApart = [...name.isApart, ...sentence.isApart];
	return { kind: "words", ...parts, kinds, isApart, hasSigns: false };
}

/** Returns true for a sentence that must not be left out of a reading, but for the name in it. */
function saysMore(sentence: Words, name: Words, isChain: (low: string) => boolean): boolean {
	const { low, kinds } = sentence;
	const isTold = TELLING.has(low[0] ?? "");
	// `i have not looked at azuki for a week`: of them, and of no wish.
	const isPast = isTold && kinds.includes("quoted") && !low.some((word) => WISHING.has(word));
	return low.some((word, at) => {
		if (kinds[at] === "quoted") return NARROWING.has(low[at + 1] ?? "");
		if (name.low.includes(word) || (isPast && word === "not")) return false;
		if (word === "remind" || (isOrderWord(word) && isOrder(sentence, at))) return true;
		if (isChain(word)) return true;
		if (isWindowWord(word) || isOtherTime(sentence, at)) return !isPast;
		return /\d/.test(word) ? !(isTold && word.includes(".")) : !isTold && NUMBER_WORDS.has(word);
	});
}

const WISHING = new Set("want wanna need like show check see get give tell know about".split(" "));

/** Behind a name they begin what narrows it: `azuki with gold fur`. */
const NARROWING = new Set("with without having wearing number no nr".split(" "));
const NUMBER_WORDS = new Set(
	"two three four five six seven eight nine ten eleven twelve twenty thirty fifty hundred".split(
		" ",
	),
);
