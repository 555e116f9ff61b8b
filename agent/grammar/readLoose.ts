// Reads words as a command that only reads: by its forms, else by its topic.

import type { TopicReader } from "#agent/grammar/createTopicReader.ts";
import type { Node } from "#agent/grammar/forms.ts";
import { hasOrder, isOrderWord, isRefused } from "#agent/grammar/orders.ts";
import { comparesPrice, isOtherTime, isWindowWord, MONEY } from "#agent/grammar/readSlot.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import {
	isEmptyWord,
	isOneLetterOff,
	type Range,
	withoutFillers,
} from "#agent/grammar/tolerance.ts";
import type { Found, Look, WalkHow, WalkRules } from "#agent/grammar/walkForms.ts";
import { isVague, namePlaces, roleOf } from "#agent/grammar/wordRoles.ts";
import type { Command, Slot } from "#core/plugin/Tool.ts";

/** Matches words against the forms under a root. */
export type LookAt = (root: Node, words: Words, range: Range, how: WalkHow) => Look;

export type LooseReader = {
	look: LookAt;
	rules: WalkRules;
	root: Node;
	/** The first words of all commands, and those of printed forms. */
	heads: ReadonlySet<string>;
	mainHeads: ReadonlySet<string>;
	topics: TopicReader;
};

/**
 * Reads words as commands that only read: by their forms; by topic where no form fits, or where a
 * form takes words of the question for a name (`doodles fllor price`).
 */
export function readLoose(words: Words, reader: LooseReader): Look {
	const look = readLoosely(words, reader);
	if (look.found.length === 0) return look;
	return look.found.some((one) => leavesOut(words, one)) ? { ...look, found: [] } : look;
}

/** Returns true for a reading that leaves out a price, a time or a coin that the text names. */
function leavesOut(words: Words, found: Found): boolean {
	if (words.low.length > SHORT_WORDS_MAX && hasOrder(words)) return true;
	let hasNumber = false;
	for (let at = 0; at < words.low.length; at++) {
		const word = words.low[at] ?? "";
		if (isOtherTime(words, at)) return true;
		if (isNumber(word) && CALLING.has(words.low[at - 1] ?? "") && !takes(found, "token"))
			return true;
		if ((word === "will" || word === "gonna") && asksAhead(words, at, found.command)) return true;
		hasNumber ||= isNumber(word);
	}
	for (const name of found.names) if (isMoney(words, name)) return true;
	if (!hasNumber || !namesPrice(words) || takes(found, "amount")) return false;
	const isCompared = words.low.some((_, at) => comparesPrice(words, at));
	return !(isCompared && found.command.topic?.takesPrice);
}

/** Looks at the first letter only, as every text passes here. */
function isNumber(low: string): boolean {
	const first = low.charCodeAt(0);
	return first >= 48 && first <= 57;
}

/** True for a text with a price (`under 1 eth`), which no reading may leave out. */
function namesPrice({ low }: Words): boolean {
	return low.some((word, at) => /^\d+(\.\d+)?$/.test(word) && MONEY.has(low[at + 1] ?? ""));
}

/** Returns true for a question about what will be: no figure of now answers it. */
function asksAhead({ low }: Words, will: number, { topic }: Command): boolean {
	return low.some(
		(word, at) => at > will && (MOVES.has(word) || (word === "be" && topic?.takesPrice)),
	);
}

const MOVES = new Set(
	"pump dump moon nuke crash rip tank recover bounce rise fall drop dip hit reach break go".split(
		" ",
	),
);

/** A text as short as this holds no order beside a question. */
const SHORT_WORDS_MAX = 3;
/** A number behind one of these words is an id: `clonex number 77`. */
const CALLING = new Set("number nr id".split(" "));

function takes({ command, values }: Found, kind: Slot["kind"]): boolean {
	return Object.entries(command.slots).some(([name, slot]) => slot.kind === kind && name in values);
}

/** True for a name that is a currency: `how much usdg do i have` is about no collection. */
function isMoney({ low }: Words, { from, to }: Range): boolean {
	return to - from === 1 && MONEY.has(low[from] ?? "");
}

function readLoosely(words: Words, reader: LooseReader): Look {
	const { look: byForm, isExact } = readForms(words, reader);
	const [found] = byForm.found;
	if (found?.names.some(({ from }) => from === 0 && isOrderWord(words.low[0] ?? ""))) {
		return { ...byForm, found: [] };
	}
	const isSure = found !== undefined && !isDoubtful(words, found, reader);
	if (isSure && isExact) return byForm;
	const byTopic = reader.topics.read(words);
	// Words that were left out of a form may be those that say more: `out of supply`.
	if (isSure && !(byTopic && saysMore(byTopic, found))) return byForm;
	if (byTopic) return { ...byForm, found: [byTopic] };
	const kept = byForm.found.map((one) => trimmed(words, one));
	return { ...byForm, found: kept.filter((one) => hasName(words, one, reader)) };
}

/** Returns true for another question, or the same one about less words: `kiln art drop yet`. */
function saysMore(byTopic: Found, byForm: Found): boolean {
	const { command } = byForm;
	if (byTopic.command !== command)
		return byTopic.command.topic?.over?.includes(command.name) === true;
	const lengthOf = ({ names: [name] }: Found) => (name ? name.to - name.from : 0);
	return lengthOf(byTopic) > 0 && lengthOf(byTopic) < lengthOf(byForm);
}

/** Matches the words with forms: first exactly, then with more and more tolerance. */
function readForms(words: Words, reader: LooseReader): { look: Look; isExact: boolean } {
	const { look, root, rules, heads, mainHeads } = reader;
	const whole = { from: 0, to: words.low.length };
	const isBeginning = (low: string) => heads.has(low) || isWindowWord(low);
	const isNearHead = (low: string) =>
		isBeginning(low) || [...heads].some((head) => isOneLetterOff(low, head));
	const rangeOf = (isHead: (low: string) => boolean, isPatient = false) =>
		withoutFillers(words, whole, { isHead, isPatient });

	const asked = look(root, words, rangeOf(isBeginning), { mode: "loose" });
	if (asked.found.length > 0) return { look: asked, isExact: true };
	const named = look(root, words, asked.range, { mode: "loose", isBold: true });
	if (named.found.length === 1 && named.found.every((one) => isNamed(words, one, mainHeads))) {
		return { look: named, isExact: true };
	}
	// A time is dropped only if no command has a slot for it.
	const first = look(root, words, rangeOf(isNearHead), { mode: "typos" });
	if (first.found.length === 1) return { look: first, isExact: false };
	const meant = look(root, words, rangeOf(isNearHead, true), { mode: "typos" });
	if (meant.found.length === 1) return { look: meant, isExact: false };
	// Last, because forms such as `what is {collection}` accept nearly everything as a name.
	const all = look(root, words, whole, { mode: "loose" });
	if (all.found.length > 0 && !all.found.some((one) => namesHead(words, one, rules))) {
		return { look: all, isExact: true };
	}
	// A word that could be a misspelling of two commands is read as neither.
	const best = meant.far - meant.range.from >= all.far ? meant : all;
	return { look: { ...best, found: [] }, isExact: false };
}

/**
 * Returns true where words of the question were perhaps taken for a name. A text in printed form is
 * rarely in doubt: `floor bottom` asks for the collection "bottom", but not `floor update azuki`.
 */
function isDoubtful(words: Words, { command, names }: Found, reader: LooseReader): boolean {
	const { topics, mainHeads } = reader;
	const [named] = names;
	if (named?.from === 1 && mainHeads.has(words.low[0] ?? "")) {
		if (named.to === 2 || words.low[1] === "the") return false;
		return isChat(words, 1) || topics.isPhrase(words.low[0] ?? "", words.low[1] ?? "");
	}
	return names.some((name) => {
		const named = words.low.slice(name.from, name.to);
		const [first = "", last = ""] = [named[0], named.at(-1)];
		// `trait breakdown of azuki`
		const isBegun = named.length > 2 && NAMING.has(named[1] ?? "");
		if (isBegun && topics.isPhrase(words.low[name.from - 1] ?? "", first)) return true;
		// `info on azuki 900` is about a token, but a floor is of `club 721`.
		if (named.length > 1 && /^\d+$/.test(last) && !command.topic?.takesPrice) return true;
		const isBetween = named.length > 2 && isCounted(words, name.from, command);
		const inner = isBetween ? { from: name.from + 2, to: name.to } : name;
		if (isAround(words, inner, reader) || topics.belongsTo(command, last)) return true;
		if (named.slice(1).some((word) => topics.isOfStronger(command, word))) return true;
		if (named.every((word, n) => topics.isOfAny(word) || isChat(words, name.from + n))) return true;
		const around = [...words.low.slice(0, name.from), ...words.low.slice(name.to)];
		const isNamed = around.some((word) => topics.isOf(command, word));
		if (topics.isOfStronger(command, first)) return !NAMING.has(words.low[name.from - 1] ?? "");
		return !isNamed && named.some((word) => topics.isOfStronger(command, word));
	});
}

/** Returns true for `the last garden`, where nothing else that is asked for could be the last. */
function isCounted({ low }: Words, at: number, { forms, topic }: Command): boolean {
	const word = low[at + 1] ?? "";
	if (low[at] !== "the" || !COUNTED.has(word) || topic?.takesPrice) return false;
	return !forms.some((form) => /\blast\b/.test(form));
}

const COUNTED = new Set("last first second third".split(" "));

/** Returns true where a name has words in it, or around it, that belong to a question. */
function isAround(words: Words, { from, to }: Range, reader: LooseReader): boolean {
	const places = placesOf({ from, to });
	if (isChain(words, { from, to }, reader)) return true;
	if (places.every((at) => isVague(words.low[at] ?? ""))) return true;
	if (places.some((at) => isRefused(words, at))) return true;
	if (isChat(words, from) && words.low[from] !== "the") return true;
	if (places.slice(1).some((at) => isChat(words, at) && !LINKS.has(words.low[at] ?? "")))
		return true;
	const { low, proper } = words;
	if (low[to - 2] === "on" && reader.rules.chains.bySlug(low[to - 1] ?? "") && to - from > 2)
		return true;
	// `Fidenza units`: what is written small around a name is none of it.
	const isWritten = places.some((at) => proper?.has(at));
	if (isWritten && !(proper?.has(from) && proper.has(to - 1)) && low[from] !== "the") return true;
	const last = namePlaces(words, places).at(-1);
	return last !== undefined && last !== to - 1;
}

/** Returns true where what is left of each name could be one: `moonbirds i can grab` is not. */
function hasName(words: Words, { names }: Found, reader: LooseReader): boolean {
	return names.every(({ from, to }) => {
		if (isChain(words, { from, to }, reader)) return false;
		const places = placesOf({ from, to });
		if (places.some((at) => isRefused(words, at))) return false;
		const isWhole = places.every((at) => !isChat(words, at) || LINKS.has(words.low[at] ?? ""));
		const open = namePlaces(words, places);
		return isWhole && open.some((at) => !reader.topics.isOfAny(words.low[at] ?? ""));
	});
}

/** Returns true for a chain's slug after `on`: it is no collection name (`live mints on base`). */
function isChain({ low }: Words, { from, to }: Range, { rules }: LooseReader): boolean {
	if (to - from !== 1 || low[from - 1] !== "on") return false;
	return rules.chains.bySlug(low[from] ?? "") !== undefined;
}

function isChat(words: Words, at: number): boolean {
	return roleOf(words, at) === "chat";
}

function placesOf({ from, to }: Range): number[] {
	return Array.from({ length: to - from }, (_, n) => from + n);
}

/** Removes words around a name that are not part of it: `a captainz`, `meebits where we`. */
function trimmed(words: Words, { names, ...found }: Found): Found {
	const [name] = names;
	if (!name || names.length > 1) return { ...found, names };
	let { from, to } = name;
	const typed = words.raw.slice(from, to).join(" ");
	while (to - from > 1 && isChat(words, from) && words.low[from] !== "the") from += 1;
	while (to - from > 1 && isChat(words, to - 1)) to -= 1;
	to = (namePlaces(words, placesOf({ from, to })).at(-1) ?? to - 1) + 1;
	const value = words.raw.slice(from, to).join(" ");
	const values = Object.entries(found.values).map(([slot, one]) => [
		slot,
		one === typed ? value : one,
	]);
	return { ...found, values: Object.fromEntries(values), names: [{ from, to }] };
}

/** Words that may stand inside names: `world of women`. */
const LINKS = new Set("of the and in on by &".split(" "));
const NAMING = new Set("of for on in".split(" "));

/**
 * Returns true where the first name begins like a question (`cool cats`, as `cool mints` is one)
 * but has no word that a printed command begins with: `top holders kiln volume` asks two things.
 */
function isNamed(
	{ low }: Words,
	{ names: [name] }: Found,
	mainHeads: ReadonlySet<string>,
): boolean {
	if (!name || isEmptyWord(low[name.from] ?? "")) return false;
	return low.slice(name.from, name.to).every((word) => !mainHeads.has(word));
}

/** Returns true where a name contains a word that begins commands: more was asked than was read. */
function namesHead({ low }: Words, { names }: Found, rules: WalkRules): boolean {
	return names.some(({ from, to }) => low.slice(from, to).some(rules.isHead));
}
