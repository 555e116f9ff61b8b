// Reads a question again, with the names that the service knows put in quotes.

import {
	bestOf,
	isFree,
	isUsualName,
	type Named,
	type NameRules,
	nameOf,
	quoted,
	SHARES,
} from "#agent/grammar/names.ts";
import { hasOrder, isOrder, isOrderWord } from "#agent/grammar/orders.ts";
import { isTelling, joined, narrows, sentencesOf, slice } from "#agent/grammar/readSentences.ts";
import { isOtherTime, isWindowWord, type SlotRules } from "#agent/grammar/readSlot.ts";
import { type Words, withoutSigns } from "#agent/grammar/splitWords.ts";
import type { Found, Look } from "#agent/grammar/walkForms.ts";
import { isCommon, roleOf } from "#agent/grammar/wordRoles.ts";
import type { KnownNames } from "#core/plugin/Tool.ts";

export type SentenceReading = {
	rules: Pick<SlotRules, "chains">;
	/** Returns true for a word that shows a topic by itself: `holders`. */
	isOfTopic(low: string): boolean;
	read(words: Words): Look;
};

export type KnownReading = NameRules & SentenceReading & { names: KnownNames };

const SENTENCES_MAX = 5;
/** Lists words that begin a question, whatever stands in front of it. */
const ASKING = new Set("what whats what's how hows how's where wheres who whos which".split(" "));
const QUESTIONS = new Set(
	"what whats what's how hows how's who whos where wheres is are does do did has have any which can could give show tell".split(
		" ",
	),
);

/** Lists words that narrow a name in front of them: `azuki with gold fur`. */
const NARROWING = new Set("with without having wearing number no nr".split(" "));
const NUMBER_WORDS = new Set(
	"two three four five six seven eight nine ten eleven twelve twenty thirty fifty hundred".split(
		" ",
	),
);

const SHOWING = new Set("show give gimme check pull about info".split(" "));

const NARROW: ReadonlySet<string> = new Set(["chain", "window", "token"]);

const TALK = "so";

/**
 * Reads a question again with the names in it put in quotes; undefined where no known name changes
 * what its words say alone.
 *
 * Anybody can call a collection `price of azuki`. So what was read stays where its name is known or
 * none of the new one's words, and no chain, length of time or id in it gets lost. Nothing is read
 * where a second known name would be left out.
 */
export function readKnown(typed: Words, plain: Look, reading: KnownReading): Look | undefined {
	const words = withoutSigns(typed);
	const [before] = plain.found;
	const taken = before && nameIn(before);
	const best = bestOf(words, reading);
	const [first, ...others] = best;
	if (!first) return undefined;
	const isOther = (one: Named) => !isUsualName(one) && stemOf(one) !== stemOf(first);
	const isTwo = others.some(isOther) && !isUsualName(first);
	if (isTwo && taken !== undefined && reading.names.has(taken)) return { ...plain, found: [] };
	const mayChange = (one: Named) => {
		if (!before || one.name.kind === "asset") return !before || isShare(one, taken, reading);
		return taken === undefined
			? isPart(one, words, before, reading)
			: isFullerName(one, taken, reading);
	};
	const keeps = (look: Look) => !before || keepsValues(before, look);
	const asked = others.length === 0 ? readOneSentence(quoted(words, best), reading) : undefined;
	if (asked?.isQuestion && keeps(asked.look)) {
		if (mayChange(first) || isAbout(asked.look, taken, reading)) return asked.look;
	}
	const chosen = best.filter(mayChange);
	const look = chosen.length > 0 ? readQuoted(words, chosen, reading) : undefined;
	if (look && keeps(look) && (before || isMeant(look, words, chosen, reading))) return look;
	// Several known names, and the one that was read is none of them.
	if (chosen.length > 1) return { ...plain, found: [] };
	if (!before) return others.length === 0 ? asked?.look : undefined;
	return undefined;
}

/**
 * Reads the one of several sentences that asks something, with the name from another one where it
 * has none: `been watching azuki for weeks, what is the volume`. What the others say counts for
 * nothing, so none of them may have a time, a chain or a number in it. `isQuestion`: it alone
 * begins like a question, so it is one whatever the others say.
 */
function readOneSentence(
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

/** Returns the name of a collection in a reading, in lower case. */
function nameIn({ command, values }: Found): string | undefined {
	const slot = Object.entries(command.slots).find(([, { kind }]) => kind === "collection")?.[0];
	return slot === undefined ? undefined : values[slot]?.toLowerCase();
}

/** Returns a name without what people leave out or add: `the captainz`, `doodles`. */
function stemOf({ text }: Named): string {
	return text.replace(/^the /, "").replace(/s$/, "");
}

/** Returns true where what was read as a name is a ticker, and else only words about shares. */
function isShare({ text }: Named, taken: string | undefined, reading: KnownReading): boolean {
	const rest = ` ${taken ?? ""} `.replace(` ${text} `, " ").split(" ").filter(Boolean);
	return rest.every((word) => !isFree(word, reading) || SHARES.has(word));
}

/** Returns true where a reading without a name comes of the words of one: `Chain Runners`. */
function isPart({ from, to }: Named, words: Words, before: Found, { read }: KnownReading): boolean {
	const low = words.low.map((word, at) => (at >= from && at < to ? TALK : word));
	const [one] = read({ ...words, low, raw: low }).found;
	return one?.command !== before.command;
}

/**
 * Returns true for a name that says more than the one that was read. Where that is known, only
 * usual words (`club`) become part of a longer name with words of talk (`bad idea club`).
 */
function isFullerName({ text }: Named, taken: string, reading: KnownReading): boolean {
	const isInside = ` ${text} `.includes(` ${taken} `) && text !== taken;
	if (!reading.names.has(taken)) {
		return isInside || text.split(" ").some((word) => taken.split(" ").includes(word));
	}
	if (!isInside) return false;
	const rest = ` ${text} `.replace(` ${taken} `, " ").trim().split(" ");
	const isUsual = isUsualName({ text: taken });
	return rest.every((word) => (isUsual ? !reading.isOfQuestion(word) : isFree(word, reading)));
}

/**
 * Returns true where a reading has every chain, length of time and id of the one before. An id may
 * be part of its name: `404 pigeons`.
 */
function keepsValues({ command, values }: Found, { found: [one] }: Look): boolean {
	const kept = [...Object.values(one?.values ?? {}), one?.command.topic?.chain];
	const named = (one && nameIn(one))?.split(" ") ?? [];
	return Object.entries(values).every(([slot, value]) => {
		const kind = command.slots[slot]?.kind ?? "";
		if (kept.includes(value) || !NARROW.has(kind)) return true;
		return kind === "token" && named.includes(value);
	});
}

/** Returns true for a reading about the name that was read before, where that is a known one. */
function isAbout({ found: [one] }: Look, taken: string | undefined, { names }: KnownReading) {
	return taken !== undefined && names.has(taken) && one !== undefined && nameIn(one) === taken;
}

/** Reads the words with these names in quotes; undefined where not each of them is a value then. */
function readQuoted(words: Words, spans: readonly Named[], { read }: KnownReading) {
	const look = read(quoted(words, spans));
	const [one, ...others] = look.found;
	const values = Object.values(one?.values ?? {});
	const isWhole = spans.every((span) => {
		return values.includes(span.name.kind === "asset" ? span.name.ticker : nameOf(words, span));
	});
	return one && others.length === 0 && isWhole ? look : undefined;
}

/**
 * Returns false for a name of usual words by which a text would be read although it asks nothing:
 * `gm legend`. The name alone, or behind `show me`, is a question.
 */
function isMeant(
	look: Look,
	words: Words,
	spans: readonly Named[],
	{ read }: KnownReading,
): boolean {
	const [span] = spans;
	if (!span || spans.length > 1 || !isUsualName(span)) return true;
	if (span.to - span.from === words.low.length) return true;
	const own = { ...span, from: 0, to: span.to - span.from };
	const bare = read(quoted(slice(words, span.from, span.to), [own]));
	const isBare = bare.found[0]?.command === look.found[0]?.command;
	return !isBare || words.low.some((word) => SHOWING.has(word));
}

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
