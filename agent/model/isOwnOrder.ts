// Checks that a command means what its author ordered, and reads an order with politeness around
// it.

import type { Grammar, Reading } from "#agent/grammar/Grammar.ts";
import { setOf } from "#agent/grammar/splitWords.ts";
import { keepsQualifiers, type QualifierRules, quotesAuthor } from "#agent/model/isFaithful.ts";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import type { Slot } from "#core/plugin/Tool.ts";

/** Lists the verbs of orders, by the first word of their command. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
	buy: ["buy", "grab", "get", "purchase", "cop", "pick up"],
	sell: ["sell", "get rid of", "dump", "unload", "offload"],
	send: ["send", "transfer", "give", "shoot", "move"],
	bridge: ["bridge"],
	hold: ["hold"],
	snipe: ["snipe"],
	cancel: ["cancel", "call off"],
	pause: ["pause"],
	resume: ["resume"],
};

/** Matches the words that may come before the verb: a greeting, and a plain wish. */
const OPENING =
	/^(?:(?:hey|hi|hello|yo|gm|ok|okay|oh|well|please|pls|plz|just|kindly) )*(?:(?:(?:can|could) you|(?:would|will) you (?:please|pls|plz|kindly)|i want to|i wanna|i need to|i would like to|i'd like to|id like to|let's|lets|go ahead and) )?(?:(?:please|pls|plz|kindly|just) )*$/;

/** Lists the first words of a wish in the form of a question. */
const ASKING = new Set(["can", "could", "would", "will"]);

/** Lists words that change nothing behind the verb. */
const SMALL = setOf(
	"me my the a an of some over please pls plz plss now thx thanks thank you ty bro bros ser sir fam mate man " +
		"stock stocks share shares token tokens nft nfts coin coins chain network",
);

/** Lists the words that may come before a value in place of a form's own word. */
const JOINING: Readonly<Record<string, readonly string[]>> = {
	to: ["to"],
	into: ["to"],
	from: ["from"],
	with: ["with"],
	using: ["with"],
	as: ["as"],
	on: ["on"],
	most: ["most"],
	for: ["most"],
	under: ["most"],
	rank: ["rank"],
	top: ["rank"],
	budget: ["budget"],
	recipient: ["recipient"],
	each: ["each", "budget"],
	cheapest: ["cheapest"],
};

/**
 * Matches a text of letters, digits and the few signs that change no meaning: all others quote,
 * mark up, cross out or joke, as an emoji can. Hyphens and apostrophes are inside words.
 */
const PLAIN = /^(?:[\p{L}\d .,!?#$%…🙏👍🙂😊]|(?<=[\p{L}\d])['’-](?=[\p{L}\d]))*$/u;

/** Limits the words in front of an order, and behind the order, that are left out. */
const AROUND_MAX = 6;

/**
 * Returns true where a text orders just what the reading of a model says: its verb, or a synonym,
 * stands behind a plain wish; the values keep their order and the word in front of each; every
 * other word is of a closed list. So nothing that quotes, denies, reports, sets a condition or
 * means another direction becomes a proposal, whatever a model makes of it.
 */
export function isOwnOrder(
	{ command, values }: Reading,
	text: string,
	chains: Pick<ChainRegistry, "bySlug">,
): boolean {
	if (!PLAIN.test(text.normalize("NFC"))) return false;
	const words = wordsOf(text);
	const [form = ""] = command.forms;
	// Six shares may be two tokens: the count of one is never that of the other.
	const counts = Object.keys(values).some((name) => isCount(command.slots[name]));
	const saysShares = words.some((word) => /^shares?$/.test(word));
	if (counts && saysShares !== / shares( |$)/.test(form)) return false;
	const verb = form.split(" ")[0] ?? "";
	const begin = behindVerb(words, verb);
	if (begin === undefined) return false;
	// `buy 2 tsla?` asks whether to; `could you buy 2 tsla?` is a wish.
	if (text.includes("?") && !words.slice(0, begin).some((word) => ASKING.has(word))) return false;
	let at = begin;
	for (const { name, before } of placesOf(form)) {
		const slot = command.slots[name];
		const value = values[name];
		if (!slot || value === undefined) continue;
		const joined: string[] = [];
		let used = lengthAt(slot, value, words.slice(at), chains);
		while (used === 0 && at < words.length) {
			const word = words[at] ?? "";
			if (word in JOINING || word === "refund") joined.push(word);
			else if (!SMALL.has(word) && !before.includes(word)) return false;
			at += 1;
			used = lengthAt(slot, value, words.slice(at), chains);
		}
		if (used === 0 || !isJoined(joined, before)) return false;
		at += used;
	}
	return isTail(words.slice(at));
}

/** Returns the place after the verb; undefined where none follows a plain wish. */
function behindVerb(words: readonly string[], verb: string): number | undefined {
	for (const one of VERBS[verb] ?? [verb]) {
		const own = one.split(" ");
		const at = words.findIndex((_, from) => own.every((word, n) => words[from + n] === word));
		if (at < 0) continue;
		const opening = at === 0 ? "" : `${words.slice(0, at).join(" ")} `;
		if (OPENING.test(opening)) return at + own.length;
	}
	return undefined;
}

function isCount(slot: Slot | undefined): boolean {
	return slot?.kind === "amount" && slot.isDollars !== true;
}

/** Returns the slots of a form in their order, each with the words in front of it. */
function placesOf(form: string): { name: string; before: string[] }[] {
	const plain = form.replace(/[()[\]|]/g, " ").replace(/\s+/g, " ");
	return [...plain.matchAll(/((?:[a-z]+ )*)\{(\w+)\}/g)].map(([, before = "", name = ""], n) => {
		const words = before
			.replace(/for at most /, "most ")
			.trim()
			.split(" ")
			.filter(Boolean);
		const own = n === 0 ? words.slice(1) : words;
		return { name, before: own.filter((word) => word !== "shares" && word !== "of") };
	});
}

/** Returns how many words a value takes at the beginning of these; 0 where it is not there. */
function lengthAt(
	slot: Slot,
	value: string,
	words: readonly string[],
	chains: Pick<ChainRegistry, "bySlug">,
): number {
	const [first = "", next = ""] = words;
	const low = value.toLowerCase();
	switch (slot.kind) {
		case "amount":
			return first === (slot.isDollars ? `$${low}` : low) ? 1 : 0;
		case "percent":
			if (first === `${low}%`) return 1;
			return first === low && /^(?:percent|pct|%)$/.test(next) ? 2 : 0;
		case "token":
			return first.replace(/^#/, "") === low ? 1 : 0;
		case "asset":
			return first.replace(/^\$/, "") === low ? 1 : 0;
		case "chain":
			return !/^\d/.test(first) && chains.bySlug(first)?.slug === value ? 1 : 0;
		default: {
			const own = low.split(" ");
			return own.every((word, n) => words[n] === word) ? own.length : 0;
		}
	}
}

/**
 * Returns true where the words in front of a value are those of the form, in their order, or one
 * that means the same.
 */
function isJoined(joined: readonly string[], before: readonly string[]): boolean {
	const [only, ...more] = joined;
	if (only === undefined) return before.length === 0;
	if (more.length > 0) return ` ${before.join(" ")} `.includes(` ${joined.join(" ")} `);
	if (before.includes("refund")) return false;
	return JOINING[only]?.some((one) => before.includes(one)) ?? false;
}

/** Returns true for thanks and `for me`. */
function isTail(words: readonly string[]): boolean {
	return words.every((word, at) => SMALL.has(word) || (word === "for" && words[at + 1] === "me"));
}

/** Returns the words in lower case without signs at their ends; a coin apart from its amount. */
function wordsOf(text: string): string[] {
	return text
		.normalize("NFKC")
		.toLowerCase()
		.replace(/’/g, "'")
		.replace(/(?<![\p{L}\p{N}#.])(\d+(?:\.\d+)?)(eth|weth|usdg|usdc)\b/gu, "$1 $2")
		.replace(/\b(?:for )?(?:at most|no more than|not more than|up to|max)\b/g, "most")
		.split(/\s+/)
		.map((word) => word.replace(/^[^\p{L}\p{N}#$]+|[^\p{L}\p{N}%]+$/gu, ""))
		.filter((word) => word !== "");
}

/**
 * Reads an order with politeness around it (`please buy 2 tsla!!`); null where what is left is no
 * whole command, or where the text means more than that. Such a reading is only ever prepared: its
 * author confirms it by a link, as they did not type the command itself.
 */
export function readLooseOrder(
	text: string,
	{ grammar, rules }: { grammar: Grammar; rules: QualifierRules },
): Reading | null {
	const words = text
		.split(/\s+/)
		.map((word) => word.replace(/[,.!?]+$/, ""))
		.filter((word) => word !== "");
	for (let from = 0; from <= Math.min(AROUND_MAX, words.length - 1); from++) {
		for (let to = words.length; to > Math.max(from, words.length - AROUND_MAX); to--) {
			const parsed = grammar.parse(words.slice(from, to).join(" "));
			if (parsed.kind === "unread" || !rules.isStrict(parsed.reading.command)) continue;
			const { reading } = parsed;
			const isOwn = quotesAuthor(reading, text) && keepsQualifiers(reading, text, rules);
			return isOwn && isOwnOrder(reading, text, rules.chains) ? reading : null;
		}
	}
	return null;
}
