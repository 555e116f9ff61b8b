import type { Words } from "#agent/grammar/splitWords.ts";
import type { Range } from "#agent/grammar/tolerance.ts";
import { isCommon, isVague, namePlaces, roleOf } from "#agent/grammar/wordRoles.ts";

/** Tells which of the remaining words are a name; `unclear` where there are several. */
export type NameChoice = { kind: "name"; range: Range } | { kind: "none" } | { kind: "unclear" };

/**
 * Chooses the words that are the name a question is about.
 *
 * Of several runs of words the one counts that stands where names stand: behind `of` or `on`, or
 * alone between commas. Usual words elsewhere are talk; one unknown word is tolerated in front of a
 * name behind such a word. A second name leaves the text unread.
 */
export function chooseName(
	words: Words,
	rest: readonly number[],
	isTopic: ReadonlySet<number>,
): NameChoice {
	const parts = runsOf(words, namePlaces(words, rest)).map((run) => properPart(words, run));
	const runs = parts.filter((run, n) => {
		return !parts.some(
			(other, m) =>
				m !== n && isSaidBy(words, run, other) && (m > n || !isSaidBy(words, other, run)),
		);
	});
	const [first, second, ...more] = runs;
	if (!first) return { kind: "none" };
	if (!second) {
		return isAside(words, first, isTopic) || isCut(words, first, rest)
			? { kind: "unclear" }
			: { kind: "name", range: first };
	}
	if (more.length === 0 && isBesideName(words, [first, second], isTopic)) {
		return { kind: "name", range: second };
	}
	const ranked = runs.map((run) => ({ run, score: scoreOf(words, run, isTopic) }));
	const best = ranked.reduce((one, other) => (other.score > one.score ? other : one));
	const others = ranked.filter((one) => one !== best);
	const isWritten = best.score >= PROPER && others.every(({ score }) => score < ANCHORED);
	if (isWritten) return { kind: "name", range: best.run };
	const isClear =
		best.score > 0 && others.every(({ run, score }) => score === 0 || isAfterthought(words, run));
	return isClear ? { kind: "name", range: best.run } : { kind: "unclear" };
}

/** Behind one of these words stands what a question is about. */
const NAMING = new Set("of for on in about".split(" "));
const ANCHORED = 3;
const UNUSUAL = 2;
const PROPER = 10;

/** Returns the part of a run that is written like a name; all of it where nothing is. */
function properPart({ proper }: Words, run: Range): Range {
	let { from, to } = run;
	while (from < to && !proper?.has(from)) from += 1;
	while (to > from && !proper?.has(to - 1)) to -= 1;
	return from < to ? { from, to } : run;
}

function runsOf(words: Words, places: readonly number[]): Range[] {
	const runs: Range[] = [];
	for (const at of places) {
		const last = runs.at(-1);
		if (last && last.to === at && !words.isApart[at]) last.to = at + 1;
		else runs.push({ from: at, to: at + 1 });
	}
	return runs;
}

/** Returns true where a longer name says all of a shorter one: `a captain of the captains club`. */
function isSaidBy({ low }: Words, short: Range, long: Range): boolean {
	const stems = ({ from, to }: Range) =>
		low.slice(from, to).flatMap((word) => (isVague(word) ? [] : [word.replace(/'?s$/, "")]));
	const said = stems(long);
	return stems(short).every((stem) => said.includes(stem));
}

/** Returns true for one unknown word in front of a name: `sales feed for azuki`. */
function isBesideName(
	{ low }: Words,
	[{ from, to }, name]: [Range, Range],
	isTopic: ReadonlySet<number>,
): boolean {
	// `otherdeed for otherside` is one name; `sales feed for azuki` contains one.
	const isOfName = NAMING.has(low[to] ?? "") && !isTopic.has(from - 1);
	return to - from === 1 && !isOfName && NAMING.has(low[name.from - 1] ?? "");
}

/** Weighs how much a run of words is like a name. */
function scoreOf(words: Words, { from, to }: Range, isTopic: ReadonlySet<number>): number {
	const { low, isApart } = words;
	let before = from - 1;
	while (before >= 0 && ARTICLES.has(low[before] ?? "") && !isTopic.has(before)) before -= 1;
	const isNamed = before >= 0 && NAMING.has(low[before] ?? "") && !isTopic.has(before);
	let end = to;
	while (/^\d+$/.test(low[end] ?? "") && !isApart[end]) end += 1;
	const isAlone =
		isSegment(words, { from: before + 1, to: end }) && (isApart[from] || end < low.length);
	const isBeside = isTopic.has(from - 1) || isTopic.has(to);
	const unusual = isTalk(words, { from, to }) ? 0 : UNUSUAL;
	const isProper = words.proper?.has(from) === true;
	return (
		(isProper ? PROPER : 0) + (isNamed || isAlone ? ANCHORED : 0) + unusual + (isBeside ? 1 : 0)
	);
}

const ARTICLES = new Set("the a an this that these my".split(" "));

/** Returns true for words between two signs, or a sign and an end, that stand alone there. */
function isSegment({ low, isApart }: Words, { from, to }: Range): boolean {
	return (from === 0 || isApart[from] === true) && (to === low.length || isApart[to] === true);
}

/** Returns true for the end of a name whose beginning is a usual word: `about half past human`. */
function isCut(words: Words, { from }: Range, rest: readonly number[]): boolean {
	const { low, isApart } = words;
	const at = from - 2;
	if (!CUTTING.has(low[from - 1] ?? "") || !rest.includes(at) || isApart[from - 1]) return false;
	const isBegun = at === 0 || isApart[at] === true || NAMING.has(low[at - 1] ?? "");
	return isBegun && roleOf(words, at) !== "chat";
}

const CUTTING = new Set("past under over beyond in at".split(" "));

/** Returns true for usual words behind the last `or`: `are bids thick or paper thin`. */
function isAfterthought(words: Words, run: Range): boolean {
	const or = words.low.lastIndexOf("or");
	return or > 0 && run.from > or && isTalk(words, run);
}

/** Returns true for usual words in a sentence of talk: `… mint site? i am afraid a little`. */
function isAside(words: Words, { from, to }: Range, isTopic: ReadonlySet<number>): boolean {
	if (!isTalk(words, { from, to })) return false;
	let [start, end] = [from, to];
	while (start > 0 && !words.isApart[start]) start -= 1;
	while (end < words.low.length && !words.isApart[end]) end += 1;
	const hasTopic = [...isTopic].some((at) => at >= start && at < end);
	return !hasTopic && scoreOf(words, { from, to }, isTopic) === 0;
}

/** Returns true where all words are usual ones. */
export function isTalk(words: Words, { from, to }: Range): boolean {
	for (let at = from; at < to; at++) {
		if (!isCommon(words.low[at] ?? "") && roleOf(words, at) === "open") return false;
	}
	return to - from <= TALK_WORDS_MAX;
}

const TALK_WORDS_MAX = 3;
