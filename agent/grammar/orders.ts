// Tells words that order something from words that only ask.

import type { Words } from "#agent/grammar/splitWords.ts";
import { MODAL, ORDERS, PEOPLE, REFUSED } from "#agent/grammar/wordLists.ts";
import { isPastForm } from "#agent/grammar/wordRoles.ts";

const PHRASES = (
	"get me one|get me some|get us one|get us some|go long|going long|go short|going short|a long on|" +
	"a short on|go all in|going all in|market order|limit order|buy order|sell order|close all|" +
	"purchase one|purchase some|purchase it|purchase a|i'd like one|would like one|do it where|do it at"
)
	.split("|")
	.map((phrase) => ` ${phrase} `);

const MOVING =
	"(?:buy|sell|send|swap|bridge|snipe|sweep|mint|bid|list|transfer|ape|grab|cop|purchase)";
const SOMEBODY = "(?:me|us|my [a-z]+|him|her|them)";
const PATTERNS = [
	new RegExp(
		`^ (?:(?:ok|and|then|please|pls|now|just|also) )*${MOVING} (?:one|it|some|${SOMEBODY}) `,
	),
	new RegExp(` (?:and|then|please|pls|ahead and) ${MOVING} (?:one|it|some) `),
	new RegExp(` you (?:can|may|should|must) ${MOVING} (?:one|it|some) `),
	new RegExp(` (?:want|need|ask|like) you to ${MOVING} `),
	new RegExp(` (?:get|give|${MOVING}) my [a-z]+ (?:a|an|one|some|\\d+) `),
	/ (?:open|opening|close) (?:[a-z$]+ ){1,3}(?:long|short) /,
	/ (?:tell|ping|text|dm|notify|message|let) (?:me|us)(?: know)? (?:when|once|if) (?:it|they|that|this|the price|the floor) /,
	/ (?:when|once) (?:it|they) (?:changes?|moves?|drops?|hits?|dumps?|pumps?|dips?|falls?|rises?) /,
];

/** Lists words between who supposes something and what: `if i wanted to quickly exit`. */
const SUPPOSED = setOf(
	"want wanted wanna to need needed had have were decide decided try tried quickly just could of a one all",
);
const SUPPOSERS = setOf("i we one");
const SUPPOSING = setOf("if say suppose imagine assuming before");
/** Lists words between `can i` and an order: `can i even exit`. */
const BETWEEN = setOf("even actually really just quickly easily");
/** Lists what the author should only note: `that i should know about`. */
const NOTING = setOf("know check watch see put set track follow look note mark");
const QUESTIONS = setOf("does do what whats what's how where wheres is are who which");
/** Lists what someone of the author's own does in a question: `my principal wants to know`. */
const REPORTING = setOf("would wants want asks asked says said told thinks wonders keeps needs");

/** Lists subjects other than the author: a verb after one is no order (`did they sell`). */
const OTHERS = setOf(
	"that which wallets addresses owners collectors they people ppl anyone someone somebody anybody who everyone he she holders",
);
const COSTING = setOf(
	"easy easier hard harder difficult need needed cost costs takes take much price eth have way cheapest possible",
);
const LENGTHS = setOf("long short");
const ORDERING = setOf("list delist burn mint stake");
const ABLE = setOf("can could may might");
const PERSONS = setOf("i we you u one");
const ASKING = setOf("sorry know see check idk wonder wondering ask tell sure curious");
/** Lists words that make a wish of an `if`: `if you please`. */
const WISHING = setOf("you u possible poss ok okay thats that's available any");
/** Lists verbs that deny nothing that is asked: `don't know`. */
const KNOWING = setOf("know see remember get have understand care mind lie cap worry judge panic");
/** Lists verbs that deny nothing behind a wish: `dont wanna miss it`. */
const MISSING = setOf("miss lose overpay sleep fomo");
/** Lists words that make a noun of an order: `the best offer`. */
const DETERMINING = setOf("the best top highest any current lowest last biggest");
/** Lists words that make a wish or a thought of an order: `considering a sweep`. */
const WISHED = setOf("need want considering planning about into after");
const GIVING = setOf("get give buy mint send grab sell transfer gift");
/** Lists words by which `confirm` asks: `confirm the owner of`. */
const CONFIRMED = setOf("the that if whether what who how");
const CALMING = setOf(
	"rush worries hurry cap joke idea clue problem problems biggie pressure cope lie",
);
const DURATION = setOf("long left time days hours much");
const NAMING = setOf("of for on in about");

/**
 * Returns true for an order, or a wish to be told later, in words that questions have as well: `get
 * me one`, `then buy it`, `tell me when it moves`.
 */
export function hasOrder({ low }: Words): boolean {
	const text = ` ${low.join(" ")} `;
	return PHRASES.some((phrase) => text.includes(phrase)) || PATTERNS.some((one) => one.test(text));
}

/**
 * Returns true for a word that makes a text more than a question: an order, a condition, a denial.
 */
export function isOrderWord(low: string): boolean {
	return ORDERS.has(low) || REFUSED.has(low);
}

/** Returns true for such a word that is a verb: `sell`. */
export function isOrderVerb(low: string): boolean {
	return ORDERS.has(low);
}

/** Returns true for such a word that is no verb: nothing that is asked about is called so. */
export function isRefused({ low, proper }: Words, at: number): boolean {
	return REFUSED.has(low[at] ?? "") && !proper?.has(at);
}

/** Returns true for such a word where it orders: not in `the cheapest i can grab`. */
export function isOrder(words: Words, at: number): boolean {
	const { low, isApart } = words;
	const word = low[at] ?? "";
	const [before = "", first = ""] = [low[at - 1], low[at - 2]];
	const next = low[at + 1] ?? "";
	if (REFUSED.has(word)) {
		if (word === "no" && (/^#?\d+$/.test(next) || CALMING.has(next) || next === "of")) return false;
		if (word === "not" && /^(?:just|only)$/.test(next)) return false;
		if (word === "not" || word === "no") return before !== "or";
		if (word === "if") return !ASKING.has(before) && !WISHING.has(next) && !isSupposed(words, at);
		if (word === "place") return !/^t(?:ake|akes|aken|aking|ook)$/.test(before);
		if (word === "should") return !(before === "i" && NOTING.has(next));
		if (word === "mine") return !isSupposed(words, at);
		// `is my azuki #12 rare` asks for a token; an order is seen by its verb.
		if (word === "my") {
			if (isSupposed(words, at)) return false;
			if ((PEOPLE.has(next) && !GIVING.has(before)) || REPORTING.has(low[at + 2] ?? ""))
				return false;
			// `the best bid i could dump my azuki into`
			if (ORDERS.has(before) && isWhatOneCould(low[at - 3] ?? "", first)) return false;
			if (NAMING.has(before)) {
				return low.some((one, n) => ORDERS.has(one) && !DETERMINING.has(low[n - 1] ?? ""));
			}
			return !low.some((one) => /^#?\d+$/.test(one)) || ORDERING.has(before);
		}
		if (word === "never") return !/^(?:heard|seen|saw|knew|tried|used)$/.test(low[at + 1] ?? "");
		if (word === "dont" || word === "don't") {
			return !(KNOWING.has(next) || (MODAL.has(next) && MISSING.has(low[at + 2] ?? "")));
		}
		return word !== "until" || !(DURATION.has(before) || next === "now");
	}
	// `need a flip`, `if i wanted to exit`
	const isLast = at === low.length - 1 || isApart[at + 1] === true;
	if (before === "a" && isLast && WISHED.has(first)) return false;
	if (isSupposed(words, at) || (word === "confirm" && CONFIRMED.has(next))) return false;
	if (LENGTHS.has(word) && at > 0) return false;
	// `can i still grab one`
	if (ORDERS.has(word) && before === "still" && isWhatOneCould(low[at - 3] ?? "", first))
		return false;
	// `how much do i need to grab one`: what it costs, and no order.
	if (before === "to" && COSTING.has(first)) return false;
	if (before === "to" && low.slice(0, at).includes("enough")) return false;
	if (before === "to" && first === "me" && /^(?:cost|take)s?$/.test(low[at - 3] ?? ""))
		return false;
	if (ORDERS.has(word) && (next === "me" || next === "us")) return true;
	if (BETWEEN.has(before) && isAuthors(low[at - 3] ?? "", first)) return false;
	return ORDERS.has(word) && !isWhatOneCould(first, before) && !OTHERS.has(before);
}

/** Returns true behind whoever else does something: `wallets that hold`. */
export function isTold(before: string): boolean {
	return OTHERS.has(before);
}

/** Returns true behind `i can` or `can i`: what follows is no order. */
function isWhatOneCould(first: string, before: string): boolean {
	return (ABLE.has(before) && PERSONS.has(first)) || (PERSONS.has(before) && ABLE.has(first));
}

/** Returns true in what is only supposed in front of a question: `if i wanna exit, what is …`. */
function isSupposed({ low, isApart }: Words, at: number): boolean {
	let from = at;
	const isPart = (word: string) => SUPPOSED.has(word) || ORDERS.has(word) || isPastForm(word);
	while (from > 0 && !isApart[from]) {
		if (!isPart(low[from - 1] ?? "") && !/^\d+$/.test(low[from - 1] ?? "")) break;
		from -= 1;
	}
	if (SUPPOSING.has(low[at] ?? "")) from = at + 2;
	const isBegun = SUPPOSING.has(low[from - 2] ?? "") && SUPPOSERS.has(low[from - 1] ?? "");
	return isBegun && low.slice(at + 1).some((word) => QUESTIONS.has(word));
}

/** Returns true behind `can i`: what the author could do is no order. */
function isAuthors(first: string, before: string): boolean {
	return isWhatOneCould(first, before) && /^(?:i|one)$/.test(PERSONS.has(first) ? first : before);
}

function setOf(list: string): ReadonlySet<string> {
	return new Set(list.split(" "));
}
