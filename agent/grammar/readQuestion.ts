// Reads a question in any order of words: each word is used, or listed as left out.

import { COMPARING, takeName } from "#agent/grammar/nameSpans.ts";
import { readPeriod } from "#agent/grammar/readPeriod.ts";
import { isWindow } from "#agent/grammar/readSlot.ts";
import {
	closedWords,
	isDeciding,
	isFunctionWord,
	setOf,
	smallPlaces,
	type Words,
} from "#agent/grammar/splitWords.ts";
import { type Draft, put, takeCounts, takeTrait, takeValues } from "#agent/grammar/takeValues.ts";
import { placesOf, type Taker, type Topics } from "#agent/grammar/topicPhrases.ts";
import type { Found, WalkRules } from "#agent/grammar/walkForms.ts";
import type { Command } from "#core/plugin/Tool.ts";

const { SHOWING, NARROWING, BEFORE_TIME, PERSONS } = closedWords;

/** Limits the words of a question: longer ones ask for more than one thing. */
const WORDS_MAX = 24;
/** Limits the words that an answer may leave out, with a note. */
const LEFT_OUT_MAX = 3;

type Read = {
	command: Command;
	values: Record<string, string>;
	places: Set<number>;
	leftOut: string;
	isGuess: boolean;
};

/**
 * Reads a question by its topic. Each word must be of the topic, a value, the one name, or a word
 * that changes nothing; where a known name and a topic are clear, other words are left out and
 * named in `leftOut`. A second topic, a second name, a number without a place, and a word that
 * orders, denies, compares or counts leave the text unread.
 */
export function readQuestion(typed: Words, topics: Topics, rules: WalkRules): readonly Found[] {
	if (typed.low.length > WORDS_MAX || rules.isReserved(typed.low[0] ?? "")) return [];
	const words = corrected(typed, topics);
	const small = smallPlaces(words);
	const all = topics.takers.flatMap((taker) => readAs({ taker, words, topics, rules }, small));
	const known = all.filter(({ isGuess }) => !isGuess);
	for (const reads of [known.filter(({ leftOut }) => leftOut === ""), known, all]) {
		const best = reads.filter((one) => reads.every((other) => one === other || isOver(one, other)));
		const [only] = best;
		if (only && best.length === 1) {
			const { command, values, leftOut, isGuess } = only;
			return [{ command, values, names: [], isGuess, ...(leftOut === "" ? {} : { leftOut }) }];
		}
		if (reads.length > 0) return [];
	}
	return [];
}

/** Returns the words with those of topics in their right spelling. */
function corrected(words: Words, { meantBy }: Topics): Words {
	const low = words.low.map((word, at) => {
		if (words.kinds[at] !== "word") return word;
		const isWith = word === "w/" || (word === "w" && !/^\d/.test(words.low[at - 1] ?? ""));
		return isWith ? "with" : meantBy(SHORT.get(word) ?? word);
	});
	return { ...words, low };
}

/** Words beside `my azuki` that ask for what this person paid, or has. */
const OF_OWN = setOf("worth did was were had paid cost");
/** Maps short and misspelled words to what phrases have. */
const SPELT = {
	mkt: "market",
	hw: "how",
	hwo: "how",
	recnt: "recent",
	bset: "best",
	wich: "which",
};
const SHORT = new Map(Object.entries(SPELT));

function isOver(one: Read, other: Read): boolean {
	const isMore = (a: Read, b: Read) =>
		a.places.size > b.places.size && [...b.places].every((at) => a.places.has(at));
	if (isMore(one, other)) return true;
	const goesOver = one.command.topic?.over?.includes(other.command.name) === true;
	return goesOver && !isMore(other, one);
}

/** Reads the words as one command; nothing where one of them has no place in it. */
function readAs(
	given: Pick<Draft, "taker" | "words" | "topics" | "rules">,
	small: ReadonlySet<number>,
): Read[] {
	const { taker, words } = given;
	const places = placesOf(taker.phrases, words);
	const { ofName, ofTicker, ofToken, never, isOwned } = taker.command.topic ?? {};
	if (never && words.low.some((low) => never.includes(low))) return [];
	if (places.size === 0 && !ofName && !ofTicker && !ofToken) return [];
	const beside = besideOf(taker, words, places);
	const draft: Draft = { ...given, roles: [], values: {}, isGuess: false };
	draft.roles = words.low.map((low, at) => {
		if (words.kinds[at] === "quoted") return "name";
		if (places.has(at)) return "topic";
		if (small.has(at)) return "small";
		if (beside.has(at)) return "topic";
		// `offers going up` asks how they change.
		if (low === "up" && CHANGING.has(words.low[at - 1] ?? "")) return "open";
		const isOfName = low === "my" && words.kinds[at + 1] === "quoted";
		if (isOwned && isOfName && !words.low.some((one) => OF_OWN.has(one))) return "function";
		if (isCounting(words, at)) return "function";
		if (isFunctionWord(low) || (taker.isPair && COMPARING.has(low))) return "function";
		return /^\d+$/.test(low) ? "number" : "open";
	});
	if (!takeValues(draft)) return [];
	takeCounts(draft);
	takeTrait(draft);
	if (!takeName(draft) || !takeNumbers(draft)) return [];
	if (asksForOthers(draft)) return [];
	const { command, needed } = taker;
	if ([...needed].some((slot) => !(slot in draft.values))) return [];
	if (places.size === 0 && !asksBare(draft)) return [];
	const leftOut = leftOutOf(draft, places.size > 0);
	const { values, isGuess } = draft;
	if (leftOut === undefined || (isGuess && leftOut !== "")) return [];
	return [{ command, values, places, leftOut, isGuess }];
}

/** Returns the places of what says nothing more, in the clauses that have a phrase of the topic. */
function besideOf(taker: Taker, words: Words, places: ReadonlySet<number>): ReadonlySet<number> {
	if (places.size === 0) return places;
	const own = clausesOf(words).filter(({ from, to }) => {
		return [...places].some((at) => at >= from && at < to);
	});
	const all = placesOf(taker.besides, words);
	return new Set([...all].filter((at) => own.some(({ from, to }) => at >= from && at < to)));
}
const CHANGING = new Set(["going", "gone", "went", "go", "goes"]);

/** Returns true for `number` in front of an id. */
function isCounting({ low }: Words, at: number): boolean {
	return COUNTING.has(low[at] ?? "") && /^#?\d+$/.test(low[at + 1] ?? "");
}

/** Takes a number behind the name, `token` or `number` as the id; false for any other. */
function takeNumbers(draft: Draft): boolean {
	const { words, roles, taker } = draft;
	const isOne = taker.command.topic?.ofToken === true;
	for (const [at, role] of roles.entries()) {
		if (role !== "number") continue;
		// `808 in azuki` is one of them, and `3 of azuki` are three.
		const isOf = isOne && words.low[at + 1] === "in" && roles[at + 2] === "name";
		const isBehind = roles[at - 1] === "name" && !words.isApart[at];
		const isId = COUNTING.has(words.low[at - 1] ?? "") || isBehind || isOf;
		if (!isId || !put(draft, "token", words.low[at] ?? "")) return false;
		roles[at] = "value";
	}
	return true;
}

const OF_TIME = new Set(["at", "this"]);

/**
 * Returns true where a word asks for persons of a command that names none (`who minted kiln folk`),
 * or for some of a collection's tokens (`which kiln folk sold`).
 */
function asksForOthers({ taker, words, roles, values }: Draft): boolean {
	const slot = taker.slotOf("collection") ?? taker.slotOf("asset");
	if (slot === undefined || !(slot in values)) return false;
	const counts = words.low.includes("many") || words.low.includes("much");
	return words.low.some((low, at) => {
		if (roles[at] === "topic") return false;
		// `how many kiln folk do i have` counts the author's own.
		const next = words.low[at + 1] ?? "";
		if (counts && (low === "i" || low === "i've") && OWNING.has(next)) return true;
		if (low === "which") return roles[at + 1] === "name";
		return PERSONS.has(low) && !tellsPersons(taker.command);
	});
}

const OWNING = new Set(["have", "got", "hold", "own"]);

function tellsPersons({ topic }: Command): boolean {
	return topic === undefined || topic.words.some((text) => text.startsWith("who "));
}

const COUNTING = setOf("token tok number no nr id");

/** Returns true where a name, an id or a ticker alone asks for this command. */
function asksBare({ taker, words, roles }: Draft): boolean {
	const { topic } = taker.command;
	const hasSign = topic?.ofToken === true && words.low.some((low) => /^#?\d+$/.test(low));
	const hasName = topic?.ofName === true && words.kinds.includes("quoted");
	const hasTicker = topic?.ofTicker === true && words.low.some((low) => /^\$[a-z]/.test(low));
	if (!hasSign && !hasName && !hasTicker) return false;
	return roles.every((role, at) => {
		const isGiven = role === "name" || role === "value" || role === "small";
		return isGiven || SHOWING.has(words.low[at] ?? "");
	});
}

/**
 * Returns the words that the answer leaves out: none, or beside a known name and a topic a few in a
 * row, and clauses in which somebody only tells something (`my brother gave me one`). Undefined
 * where one of them may not be left out.
 */
function leftOutOf(draft: Draft, hasTopic: boolean): string | undefined {
	const { words, roles } = draft;
	const isUnused = (at: number) => roles[at] === "open";
	if (!roles.includes("open")) return "";
	const isNamed = words.kinds.includes("quoted");
	if (!hasTopic || !(isNamed || draft.taker.slotOf("collection") === undefined)) return undefined;
	const open: number[] = [];
	const told: string[] = [];
	for (const { from, to } of clausesOf(words)) {
		const here = Array.from({ length: to - from }, (_, n) => from + n);
		if (!here.some(isUnused)) continue;
		if (isStory(draft, here)) told.push(words.raw.slice(from, to).join(" "));
		else open.push(...here.filter(isUnused));
	}
	if (open.length > 0 && !isNamed) return undefined;
	const few = open.length === 0 ? "" : fewOf(draft, open);
	return few === undefined ? undefined : [...told, few].filter((text) => text !== "").join(", ");
}

/** Returns the parts of a text between signs, and where an `and i` or `but what` begins another. */
function clausesOf({ low, isApart }: Words): { from: number; to: number }[] {
	const starts = low.flatMap((word, at) => {
		const isJoined = JOINING.has(word) && BEGINNING.has(low[at + 1] ?? "");
		return at > 0 && word !== "or" && (isApart[at] || isJoined) ? [at] : [];
	});
	return [0, ...starts].map((from, n) => ({ from, to: starts[n] ?? low.length }));
}

/**
 * Returns true for a clause in which its author, or somebody they know, tells something: it begins
 * with them, and has no topic, no value but an id, and no word that could narrow the question.
 */
function isStory(
	{ words: { low }, roles, rules, topics }: Draft,
	clause: readonly number[],
): boolean {
	const subject = clause.find((at) => !JOINING.has(low[at] ?? "") && !GREETING.has(low[at] ?? ""));
	if (subject === undefined || !SUBJECTS.has(low[subject] ?? "")) return false;
	return clause.every((at) => {
		const word = low[at] ?? "";
		if (roles[at] === "name" || roles[at] === "function" || roles[at] === "small") return true;
		if (roles[at] === "value") return /^#?\d+$/.test(word);
		if (roles[at] !== "open" || rules.isReserved(word)) return false;
		if (IN_STORIES.has(word)) return true;
		return !isDeciding(word) && !topics.isOfTopic(word) && rules.chains.bySlug(word) === undefined;
	});
}

const JOINING = new Set(["and", "but", "so", "because", "cuz"]);
const GREETING = new Set(["hey", "hi", "hello", "ok", "okay", "well", "yo", "gm"]);
const BEGINNING = setOf("i i'm im i'd i've could can what whats how who is tell show");
const SUBJECTS = setOf(
	"i i'm im i've ive we we've my our somebody someone people everyone everybody he she they his " +
		"her a been just thinking tryna trying looks seems it's its sorry about friend need",
);
/** Words that narrow a question, and not one beside which they are told. */
const IN_STORIES = setOf(
	"my mine our was were one last year years think feel believe bought sniped copped aped ever " +
		"before after since once yesterday weekend while every each all both few several couple first " +
		"mint minted up down and or friend friends holiday",
);

/** Returns few words in a row; undefined where one of them may not be left out. */
function fewOf(
	{ words, roles, rules, topics }: Draft,
	open: readonly number[],
): string | undefined {
	const [first = 0] = open;
	const last = open.at(-1) ?? first;
	if (open.length > LEFT_OUT_MAX + 1) return undefined;
	if (open.every((at) => NARROWING.has(words.low[at] ?? ""))) return undefined;
	for (let at = first; at <= last; at++) {
		const low = words.low[at] ?? "";
		if (roles[at] === "topic" || roles[at] === "value" || roles[at] === "name") return undefined;
		// In front of the topic it says of which: `gold fur floor`.
		if (roles[at] === "open" && roles[at + 1] === "topic" && !words.isApart[at + 1])
			return undefined;
		const isOther = rules.isReserved(low) || isDeciding(low) || topics.isOfTopic(low);
		if (isOther || rules.chains.bySlug(low) !== undefined) return undefined;
		// `at launch`, `this morning`: another time.
		if (roles[at] === "open" && OF_TIME.has(words.low[at - 1] ?? "")) return undefined;
	}
	const from = NARROWING.has(words.low[first] ?? "") && first < last ? first + 1 : first;
	const told = words.raw.slice(from, last + 1);
	return told.length > LEFT_OUT_MAX ? undefined : told.join(" ");
}

/**
 * Returns the words of a text that another reader's (a model's) reading does not use: empty for
 * none, undefined where one of them may not be left out.
 */
export function leftOutBy(
	{ command, values }: { command: Command; values: Readonly<Record<string, string>> },
	typed: Words,
	{
		topics,
		rules,
		formWords,
	}: { topics: Topics; rules: WalkRules; formWords: ReadonlySet<string> },
): string | undefined {
	const words = corrected(typed, topics);
	const said = new Set(
		Object.values(values).flatMap((value) => value.toLowerCase().split(/[\s-]+/)),
	);
	const own = new Set(command.topic?.words.flatMap((text) => text.split(/[ …]+/)));
	const open: number[] = [];
	for (let at = 0; at < words.low.length; at++) {
		const low = (words.low[at] ?? "").replace(/^[#$]|'s?$/g, "");
		const time = readPeriod(words, at, words.low.length);
		if (time) {
			if (words.low[at - 1] === "by") return undefined;
			// A window may be reworded (`today`); any other time is the one that was said.
			if (!isWindow(time.value) && !Object.values(values).includes(time.value)) return undefined;
			at += time.used - 1;
			continue;
		}
		const isValue = low.split(/[\s-]+/).every((word) => said.has(word) || said.has(`${word}s`));
		const isChain = said.has(rules.chains.bySlug(low)?.slug ?? "");
		const isTime = BEFORE_TIME.has(low) && "window" in values;
		if (isValue || isChain || isTime || own.has(low) || formWords.has(low)) continue;
		if (!isFunctionWord(low) && !NARROWING.has(low)) open.push(at);
	}
	if (open.length > LEFT_OUT_MAX) return undefined;
	const isKept =
		open.some((at) => {
			const [before = "", low = ""] = [words.low[at - 1], words.low[at]];
			return isDeciding(low) || rules.isReserved(low) || OF_TIME.has(before);
		}) ||
		(words.low.some((low) => PERSONS.has(low)) && !tellsPersons(command));
	return isKept ? undefined : open.map((at) => words.raw[at]).join(" ");
}
