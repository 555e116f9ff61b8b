// Reads a question in any order of words: each word is used, or listed as left out.

import { readPeriod } from "#agent/grammar/readPeriod.ts";
import { isNameWord, isWindow } from "#agent/grammar/readSlot.ts";
import {
	closedWords,
	isDeciding,
	isFunctionWord,
	smallPlaces,
	type Words,
} from "#agent/grammar/splitWords.ts";
import { type Draft, put, takeValues } from "#agent/grammar/takeValues.ts";
import { placesOf, type Topics } from "#agent/grammar/topicPhrases.ts";
import type { Found, WalkRules } from "#agent/grammar/walkForms.ts";
import type { Command } from "#core/plugin/Tool.ts";

const { SHOWING, NARROWING, LINKING, BEFORE_TIME, PERSONS } = closedWords;

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
		return isWith ? "with" : meantBy(word);
	});
	return { ...words, low };
}

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
	const { ofName, ofTicker, ofToken, never } = taker.command.topic ?? {};
	if (never && words.low.some((low) => never.includes(low))) return [];
	if (places.size === 0 && !ofName && !ofTicker && !ofToken) return [];
	const beside = places.size > 0 ? placesOf(taker.besides, words) : places;
	const draft: Draft = { ...given, roles: [], values: {}, isGuess: false };
	draft.roles = words.low.map((low, at) => {
		if (words.kinds[at] === "quoted") return "name";
		if (places.has(at)) return "topic";
		if (small.has(at)) return "function";
		if (beside.has(at)) return "topic";
		if (isCounting(words, at)) return "function";
		return isFunctionWord(low) ? "function" : /^\d+$/.test(low) ? "number" : "open";
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

/** Returns true for `number` in front of an id. */
function isCounting({ low }: Words, at: number): boolean {
	return COUNTING.has(low[at] ?? "") && /^#?\d+$/.test(low[at + 1] ?? "");
}

/**
 * Takes how many are asked for where the answer lists as many: `top 5 holders`, `ten largest
 * holders`. Behind a name a number is an id, and elsewhere it bounds something.
 */
function takeCounts({ words: { low, isApart }, roles, taker }: Draft): void {
	const { lists = 0 } = taker.command.topic ?? {};
	for (const [at, word] of low.entries()) {
		const isFree = roles[at] === "number" || roles[at] === "open";
		const count = COUNTS.get(word) ?? (/^[1-9]\d?$/.test(word) ? Number(word) : 0);
		if (!isFree || count < 1 || count > lists) continue;
		const isBefore = roles[at + 1] === "topic" && !isApart[at + 1] && roles[at - 1] !== "name";
		if (isBefore || (RANKING.has(low[at - 1] ?? "") && !isApart[at])) roles[at] = "topic";
	}
}

const COUNTS = new Map([
	["twenty", 20],
	..."few two three four five six seven eight nine ten"
		.split(" ")
		.map((word, at): [string, number] => [word, at + 1]),
]);
const RANKING = new Set(
	"top last latest recent newest cheapest lowest highest biggest largest best limit".split(" "),
);

/** Takes the trait behind `with`, where the command has a place for one. */
function takeTrait({ words, roles, taker, values, topics }: Draft): void {
	const { low, isApart } = words;
	if (!taker.needed.has("trait")) return;
	const lead = low.findIndex((word, at) => {
		return HAVING.has(word) || (HAS.has(word) && low[at - 1] === "that");
	});
	let from = lead + 1;
	while (ARTICLES.has(low[from] ?? "")) from += 1;
	let to = from;
	for (; to < low.length && (to === from || !isApart[to]) && to - from < TRAIT_WORDS_MAX; to++) {
		const isPart = roles[to] === "open" && !isDeciding(low[to] ?? "");
		if (!isPart || topics.isTopical(low[to] ?? "")) break;
	}
	if (lead < 0 || to === from) return;
	values["trait"] = words.raw.slice(from, to).join(" ");
	for (let at = lead; at < to; at++) roles[at] = "value";
	if (low[lead - 1] === "that") roles[lead - 1] = "value";
}

const HAVING = new Set(["with", "wearing", "having"]);
const HAS = new Set(["has", "have", "got", "had"]);
const ARTICLES = new Set(["a", "an", "the"]);
const TRAIT_WORDS_MAX = 5;

/**
 * Takes the one name: in quotes or known, else the one run of words without another meaning. What
 * stands beside a known name without a word between them belongs to it: `azuki elementals` is not
 * `azuki`, and whoever resolves names asks back.
 */
function takeName(draft: Draft): boolean {
	const { words, roles, taker } = draft;
	const slot = taker.slotOf("collection");
	const given = roles.flatMap((role, at) => (role === "name" ? [at] : []));
	if (slot === undefined) return given.length === 0;
	if (slot in draft.values) return given.length === 0;
	const [at] = given;
	const runs = at === undefined ? runsOf(draft) : [widened(draft, at)];
	const [run] = runs;
	if (at !== undefined && given.some((other) => words.low[other] !== words.low[at])) return false;
	if (!run || runs.length > 1) return run === undefined;
	for (let n = run.from; n < run.to; n++) {
		if (roles[n] !== "name" && !isNameWord(words, n, draft.rules)) return false;
		if (roles[n] === "open" && isNoName(draft, n)) return false;
		roles[n] = "name";
	}
	draft.isGuess = at === undefined || run.to - run.from > 1;
	draft.values[slot] = words.raw.slice(run.from, run.to).join(" ").replace(/'s?$/, "");
	return true;
}

/** Returns true for a word that has another meaning, and so is part of no name without quotes. */
function isNoName({ words, topics }: Draft, at: number): boolean {
	const low = words.low[at] ?? "";
	return topics.isTopical(low) || isDeciding(low) || NARROWING.has(low);
}

/** Returns the runs of open words, with words such as `of` between two of them. */
function runsOf({ words, roles, taker }: Draft): { from: number; to: number }[] {
	const { low, isApart } = words;
	const runs: { from: number; to: number }[] = [];
	for (let at = 0; at < low.length; at++) {
		if (roles[at] !== "open") continue;
		let to = at + 1;
		for (;;) {
			let next = to;
			while (
				next < low.length &&
				!isApart[next] &&
				LINKING.has(low[next] ?? "") &&
				roles[next] !== "topic"
			)
				next += 1;
			if (next >= low.length || isApart[next] || roles[next] !== "open") break;
			to = next + 1;
		}
		const isNumbered = roles[to] === "number" && !isApart[to] && !taker.needed.has("token");
		const end = isNumbered ? to + 1 : to;
		const from =
			low[at - 1] === "the" && !isApart[at] && roles[at - 1] === "function" ? at - 1 : at;
		runs.push({ from, to: end });
		at = end - 1;
	}
	return runs;
}

/**
 * Returns a known name with the open words beside it, also behind a word that joins two parts of a
 * name (`beanz of azuki`, `azuki and beanz`); a number where no id is asked for.
 */
function widened({ words, roles, taker }: Draft, at: number): { from: number; to: number } {
	const { low, isApart } = words;
	const isNamed = (n: number) => {
		if (roles[n] === "number") return n > at && taker.slotOf("token") === undefined;
		return roles[n] === "open" && !NARROWING.has(low[n] ?? "") && !isDeciding(low[n] ?? "");
	};
	const isJoin = (n: number) => {
		return roles[n] === "function" && (LINKING.has(low[n] ?? "") || low[n] === "by");
	};
	let [from, to] = [at, at + 1];
	for (let n = from - 1; n >= 0 && !isApart[n + 1] && (isNamed(n) || isJoin(n)); n--) {
		if (isNamed(n)) from = n;
	}
	for (let n = to; n < low.length && !isApart[n] && (isNamed(n) || isJoin(n)); n++) {
		if (isNamed(n)) to = n + 1;
	}
	return { from, to };
}

/** Takes a number behind the name, `token` or `number` as the id; false for any other. */
function takeNumbers(draft: Draft): boolean {
	const { words, roles } = draft;
	for (const [at, role] of roles.entries()) {
		if (role !== "number") continue;
		const before = words.low[at - 1] ?? "";
		const isId = COUNTING.has(before) || (roles[at - 1] === "name" && !words.isApart[at]);
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

const COUNTING = new Set("token number no nr id".split(" "));

/** Returns true where a name, an id or a ticker alone asks for this command. */
function asksBare({ taker, words, roles }: Draft): boolean {
	const { topic } = taker.command;
	const hasSign = topic?.ofToken === true && words.low.some((low) => /^#?\d+$/.test(low));
	const hasName = topic?.ofName === true && words.kinds.includes("quoted");
	const hasTicker = topic?.ofTicker === true && words.low.some((low) => /^\$[a-z]/.test(low));
	if (!hasSign && !hasName && !hasTicker) return false;
	return roles.every((role, at) => {
		return role === "name" || role === "value" || SHOWING.has(words.low[at] ?? "");
	});
}

/**
 * Returns the words that the answer leaves out: none, or a few beside a known name and a topic.
 * Undefined where one of them may not be left out.
 */
function leftOutOf(draft: Draft, hasTopic: boolean): string | undefined {
	const { words, roles, rules, topics } = draft;
	const open = roles.flatMap((role, at) => (role === "open" ? [at] : []));
	const [first] = open;
	const last = open.at(-1);
	if (first === undefined || last === undefined) return "";
	if (!hasTopic || !words.kinds.includes("quoted") || open.length > LEFT_OUT_MAX + 1)
		return undefined;
	for (let at = first; at <= last; at++) {
		const low = words.low[at] ?? "";
		if (roles[at] !== "open" && roles[at] !== "function") return undefined;
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
