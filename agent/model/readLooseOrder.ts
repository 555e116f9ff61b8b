import type { Grammar, Reading } from "#agent/grammar/Grammar.ts";
import { keepsQualifiers, type QualifierRules, quotesAuthor } from "#agent/model/isFaithful.ts";
import { isOwnOrder } from "#agent/model/isOwnOrder.ts";

/** The most words in front of an order, and behind it, that are left out. */
const AROUND_MAX = 6;

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
