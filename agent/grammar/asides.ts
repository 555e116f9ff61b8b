import { MONEY } from "#agent/grammar/comparesPrice.ts";
import { isOrder, isOrderVerb } from "#agent/grammar/orders.ts";
import { isOtherTime, isWindowWord, type SlotRules } from "#agent/grammar/readSlot.ts";
import type { Words } from "#agent/grammar/splitWords.ts";
import { isPastForm } from "#agent/grammar/wordRoles.ts";

/**
 * Returns true for a sentence that begins as if somebody told something: `i'm trying to price
 * mine`, `a mate says there is supply left`. Whether it asks for something, too, is for `narrows`.
 */
export function isTelling({ low }: Words): boolean {
	let at = 0;
	while (LINKING.has(low[at] ?? "") && at < low.length - 1) at += 1;
	const [first = "", next = ""] = [low[at], low[at + 1]];
	if (ARTICLES.has(first)) {
		const near = low.slice(at + 1, at + REPORTED_WORDS_MAX);
		return near.some((word) => REPORTING.has(word) || isPastForm(word) || PAST_ENDING.test(word));
	}
	// `i mean the 7d one` corrects the question.
	if (next === "mean") return false;
	if (next === "from" && GREETING.has(first)) return true;
	if (SUBJECTS.has(first)) return low.length - at > 1;
	if (first === "got" || first === "have" || first === "had") return OWNED.has(next);
	// `don't sugarcoat it`
	if (first === "don't" || first === "dont") return !isOrderVerb(next);
	if (first === "would") return next === "love" || next === "like";
	return first === "just" ? next.endsWith("ing") || isPastForm(next) : false;
}

/**
 * Returns true where a sentence that tells something is more than an aside: it names a chain, an
 * id, a time, a condition, an order, or what else is wanted.
 */
export function narrows(
	words: Words,
	{ chains, isTopic }: Pick<SlotRules, "chains"> & { isTopic(low: string): boolean },
): boolean {
	const { low } = words;
	const text = ` ${low.join(" ")} `;
	if (low.some((word, at) => WANTING.has(word) && isTopic(low[at + 1] ?? ""))) return true;
	if ((ASKED_FOR.test(text) && low.some(isTopic)) || CALLED_FOR.test(text)) return true;
	const isPast = low.some(
		(word) => PAST_TIME.has(word) || isPastForm(word) || PAST_ENDING.test(word),
	);
	return low.some((word, at) => {
		const [before = "", next = ""] = [low[at - 1], low[at + 1]];
		if (/^#?\d+$/.test(word) && (word.startsWith("#") || CALLING.has(before))) return true;
		if (CONDITIONS.has(word) && !KNOWING.has(before)) return true;
		if (ordersIn(words, at)) return true;
		const isChain = /^[a-z]/.test(word) && chains.bySlug(word) !== undefined;
		if (isChain && (!MONEY.has(word) || before === "on" || SIDES.has(next))) return true;
		const isTime = isWindowWord(word) || isOtherTime(words, at);
		return isTime && (!isPast || before === "all");
	});
}

/**
 * Returns true for an order verb. Not for a plan without a price (`i want to sell`), nor for a noun
 * (`a bid`).
 */
function ordersIn(words: Words, at: number): boolean {
	const { low } = words;
	const [word = "", before = "", next = ""] = [low[at], low[at - 1], low[at + 1]];
	if (!isOrderVerb(word) || ARTICLES.has(before) || next === "me") return false;
	const isPlanned =
		PLANNING.has(before) && AUTHORS.has(low[0] ?? "") && !low.some((one) => /\d/.test(one));
	return !isPlanned && isOrder(words, at);
}

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
		"i i'm im i've ive i'd i'll mine's we we're we've he she he's she's they they're it it's that's " +
		"thats someone someone's somebody people everybody everyone nobody nobody's trying thinking " +
		"considering planning hoping working writing watching reading bought sold minted been haven't havent asking"
	).split(" "),
);
const OWNED = new Set(
	"about a an my me out in into some to no been liquidated burned rekt".split(" "),
);
/** Matches what is asked for: `i want the floor`, and not `i want to snipe`. */
const ASKED_FOR =
	/ (?:want|need|like|wanna|after)(?: to)?(?: (?:know|see|check|have|get))? (?:the|a|an|its|all|how|what|who|every|any) /;
const WANTING = new Set("want need also".split(" "));
/** Matches what the bot is to do: `i need you to`, `remind me`. */
const CALLED_FOR = / you (?:to|can|may|should|must|have) | remind | alert | permission /;
const PAST_ENDING = /..(?<!e)ed$/;
const PAST_TIME = new Set("was were had have has been i've ive since ago".split(" "));
const CALLING = new Set("number no nr about token id is own mine's".split(" "));
const CONDITIONS = new Set("if when once unless until".split(" "));
const KNOWING = new Set("know see wondering wonder out sure check even as idk".split(" "));
const SIDES = new Set("chain side only".split(" "));
const PLANNING = new Set("to wanna gonna tryna and".split(" "));
const AUTHORS = new Set(
	"i i'm im we we're just trying thinking planning hoping considering".split(" "),
);
