import { chooseCommand, type Taker, takerOf } from "#agent/grammar/chooseCommand.ts";
import { comparesPrice } from "#agent/grammar/comparesPrice.ts";
import type { Entry } from "#agent/grammar/createReader.ts";
import { hasOrder } from "#agent/grammar/hasOrder.ts";
import { leaveNames } from "#agent/grammar/leaveNames.ts";
import { isWindowWord } from "#agent/grammar/readSlot.ts";
import { readValues } from "#agent/grammar/readValues.ts";
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
import type { Command } from "#core/plugin/Command.ts";

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

const WORDS_MAX = 24;

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

/** In front of a name they ask to be told later: `watch azuki`. */
const FOLLOWING = new Set("watch follow track monitor alert open close".split(" "));
/** A name beside one of these is asked for more than what it is. */
const COUNTING = /^(?:how (?:many|much)|(?:when|why|who) )/;

/** Removes what somebody once did at a price: `bought azuki at 0.9, what is it worth`. */
function leaveTold({ low }: Words, found: Signs, price: number): void {
	for (let at = Math.max(0, price - TOLD_WORDS_MAX); at < price; at++) {
		if (!DONE.has(low[at] ?? "")) continue;
		for (const places of found.values()) places.delete(at);
	}
	for (const [command, places] of found) if (places.size === 0) found.delete(command);
}

const TOLD_WORDS_MAX = 8;
const DONE = new Set("bought paid got minted aped grabbed sniped copped".split(" "));

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

const MAKING = new Set("write draw translate generate compose sing paint code".split(" "));
const THINKING = new Set("think reckon recommend suggest feel believe predict expect".split(" "));
const YOU = new Set("you u ya y'all all everyone".split(" "));
const LATER = new Set("tomorrow later soon tonight around again".split(" "));
const WAYS = new Set("do does can should would could did".split(" "));
const PERSONS = new Set("i we you u one people ppl".split(" "));
const LOOKS = new Set("see check find look view know tell get".split(" "));
