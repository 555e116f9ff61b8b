import { isOtherTime, isWindowWord, type SlotRules } from "#agent/grammar/readSlot.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import { isPastForm } from "#agent/grammar/wordRoles.ts";

/**
 * Returns true for a sentence in which somebody tells something and asks nothing: `i'm trying to
 * price mine`, `a mate says there is supply left`.
 */
export function isTelling({ low }: Words): boolean {
	let at = 0;
	while (LINKING.has(low[at] ?? "") && at < low.length - 1) at += 1;
	const [first = "", next = ""] = [low[at], low[at + 1]];
	if (ARTICLES.has(first)) {
		const near = low.slice(at + 1, at + REPORTED_WORDS_MAX);
		return near.some((word) => REPORTING.has(word) || isPastForm(word) || /..ed$/.test(word));
	}
	// `i mean the 7d one` corrects the question.
	if (next === "mean") return false;
	if (next === "from" && GREETING.has(first)) return true;
	if (SUBJECTS.has(first)) return low.length - at > 1;
	if (first === "got" || first === "have" || first === "had") return OWNED.has(next);
	if (first === "would") return next === "love" || next === "like";
	return first === "just" ? next.endsWith("ing") || isPastForm(next) : false;
}

/**
 * Returns true where a sentence that only tells something narrows the question beside it: by a
 * chain, an id, a time that is wished for, or another question.
 */
export function narrows(
	words: Words,
	{ chains, isTopic }: Pick<SlotRules, "chains"> & { isTopic(low: string): boolean },
): boolean {
	const { low } = words;
	const text = ` ${low.join(" ")} `;
	if (ASKED_FOR.test(text) && low.some(isTopic)) return true;
	if (AGREED.test(text)) return true;
	const isWished = low.some((word) => WISHING.has(word));
	return low.some((word, at) => {
		const [before = "", next = ""] = [low[at - 1], low[at + 1]];
		if (/^#\d/.test(word) || (/^\d+$/.test(word) && /^(?:number|no|nr)$/.test(before))) return true;
		const isChain = /^[a-z]/.test(word) && chains.bySlug(word) !== undefined;
		if (isChain && (before === "on" || /^(?:chain|side|only)$/.test(next))) return true;
		const isTime = isWindowWord(word) || isOtherTime(words, at);
		return isTime && (isWished || before === "all");
	});
}

/** Returns true for an order in words that questions have, too: `get me one`, `buy it`. */
export function hasOrder({ low }: Words): boolean {
	const text = ` ${low.join(" ")} `;
	return ORDER_PHRASES.some((phrase) => text.includes(phrase)) || NOTIFYING.test(text);
}

const ORDER_PHRASES = (
	"get me one|get me some|get us one|get us some|go long|going long|go short|going short|a long on|" +
	"a short on|all in|market order|limit order|buy order|sell order|close all|purchase one|" +
	"purchase some|purchase it|purchase a|buy one|sell one|buy it|sell it|want you to|need you to|" +
	"i'd like one|would like one"
)
	.split("|")
	.map((phrase) => ` ${phrase} `);
const NOTIFYING =
	/ (?:tell|ping|text|dm|notify|message|let) (?:me|us)(?: know)? (?:when|once|if) (?:it|they|that|this|the price|the floor) /;
const LINKING = new Set(
	"and but so because cause cuz since as lol lmao ok well also bc tbh".split(" "),
);
const GREETING = new Set("hello hi hey greetings gm".split(" "));
const ARTICLES = new Set("a an the some one my our his her".split(" "));
const REPORTED_WORDS_MAX = 5;
const REPORTING = new Set(
	(
		"says said told claims thinks keeps won't wont isn't isnt doesn't doesnt asked asks wants needs " +
		"reckons swears is was are were has"
	).split(" "),
);
const SUBJECTS = new Set(
	(
		"i i'm im i've ive i'd i'll mine mine's we we're we've he she he's she's they they're it it's that's " +
		"thats someone someone's somebody people everybody everyone nobody nobody's trying thinking " +
		"considering planning hoping working writing watching reading bought sold minted been don't dont haven't havent asking"
	).split(" "),
);
const OWNED = new Set(
	"about a an my me out in into some to no been liquidated burned rekt".split(" "),
);
const WISHING = new Set("want wanna need like show check see get give tell".split(" "));
/** `i want the floor` asks, `i want to snipe` tells. */
const ASKED_FOR =
	/ (?:want|need|like|wanna|after)(?: to)?(?: (?:know|see|check|have|get))? (?:the|a|an|its|all|how|what|who|every|any) /;
/** `i need you to buy`, `tell me when it moves`: more than what is told. */
const AGREED =
	/ you (?:to|can|may|should|must|have) | (?:me|us|know) (?:when|once|if) | remind | alert /;
