import { isTelling, narrows } from "#agent/grammar/asides.ts";
import type { Look } from "#agent/grammar/createReader.ts";
import { hasOrder } from "#agent/grammar/hasOrder.ts";
import { isOrder, isOrderWord } from "#agent/grammar/orders.ts";
import { isOtherTime, isWindowWord, type SlotRules } from "#agent/grammar/readSlot.ts";
import { joined, sentencesOf, slice } from "#agent/grammar/sentences.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import { isCommon, roleOf } from "#agent/grammar/wordRoles.ts";

export type SentenceReading = {
	rules: Pick<SlotRules, "chains">;
	/** Returns true for a word that shows a topic by itself: `holders`. */
	isOfTopic(low: string): boolean;
	read(words: Words): Look;
};

/**
 * Reads the one of several sentences that asks something, with the name from another one where it
 * has none: `been watching azuki for weeks, what is the volume`. What the others say counts for
 * nothing, so none of them may have a time, a chain or a number in it. `isQuestion`: it alone
 * begins like a question, so it is one whatever the others say.
 */
export function readOneSentence(
	words: Words,
	given: SentenceReading,
): { look: Look; isQuestion: boolean } | undefined {
	const { rules, isOfTopic, read } = given;
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
	const asksMore = (sentence: Words, n: number) => {
		if (!isLeft(n) || isTelling(sentence)) return false;
		return begins(n, ASKING) || sentence.low.some(isOfTopic);
	};
	if (one.key === bare && sentences.some(asksMore)) return undefined;
	const rest = sentences.filter((_, n) => n !== one.n);
	if (rest.some((other) => saysMore(other, name, given))) return undefined;
	const isOther = sentences.some((_, n) => n !== one.n && begins(n, ASKING));
	return { look: one.look, isQuestion: !isOther && begins(one.n, ASKING) };
}

const SENTENCES_MAX = 5;
/** Lists words that begin a question, whatever stands in front of it. */
const ASKING = new Set("what whats what's how hows how's where wheres who whos which".split(" "));
const QUESTIONS = new Set(
	"what whats what's how hows how's who whos where wheres is are does do did has have any which can could give show tell".split(
		" ",
	),
);
/** Returns the same text for the same reading; undefined where there is not one. */
function keyOf({ found: [one, ...others] }: Look): string | undefined {
	if (!one || others.length > 0) return undefined;
	return JSON.stringify([one.command.name, one.values]);
}

/** Returns true for a sentence that must not be left out of a reading, but for the name in it. */
function saysMore(sentence: Words, name: Words, given: SentenceReading): boolean {
	const { low, kinds } = sentence;
	const { rules } = given;
	const named = low.findIndex((_, at) => kinds[at] === "quoted");
	if (NARROWING.has(low[named + 1] ?? "")) return named >= 0;
	if (hasOrder(sentence)) return true;
	if (isTelling(sentence)) {
		const rest = { ...sentence, low: low.map((word) => (name.low.includes(word) ? "it" : word)) };
		return narrows(rest, { chains: rules.chains, isTopic: () => false });
	}
	if (isMoreThanTalk(sentence)) return true;
	return low.some((word, at) => {
		if (kinds[at] === "quoted" || name.low.includes(word)) return false;
		if (word === "remind" || (isOrderWord(word) && isOrder(sentence, at))) return true;
		if (rules.chains.bySlug(word) || isWindowWord(word) || isOtherTime(sentence, at)) return true;
		return /\d/.test(word) || NUMBER_WORDS.has(word);
	});
}

/** Returns true for words that narrow: `gold fur` beside a name, or `spirit type` alone. */
function isMoreThanTalk(sentence: Words): boolean {
	const { low, kinds } = sentence;
	const places = [...low.keys()];
	const isTalk = (at: number) => kinds[at] !== "word" || roleOf(sentence, at) === "chat";
	const isUnusual = (at: number) => {
		return !isTalk(at) && !isCommon(low[at] ?? "") && roleOf(sentence, at) === "open";
	};
	if (places.some(isUnusual)) return true;
	const named = places.find((at) => kinds[at] === "quoted");
	if (named === undefined) return !places.some(isTalk);
	return [named - 1, named + 1].some((at) => low[at] !== undefined && !isTalk(at));
}

/** Lists words that narrow a name in front of them: `azuki with gold fur`. */
const NARROWING = new Set("with without having wearing number no nr".split(" "));
const NUMBER_WORDS = new Set(
	"two three four five six seven eight nine ten eleven twelve twenty thirty fifty hundred".split(
		" ",
	),
);
