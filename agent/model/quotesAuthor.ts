import type { Reading } from "#agent/grammar/Grammar.ts";
import { readAddress } from "#agent/grammar/readSlot.ts";
import type { Slot } from "#core/plugin/Command.ts";

/**
 * Returns true where every value of a reading stands in the author's own text: amounts, addresses,
 * ids, tickers, chains, names and words of a list. Only a window of time may be reworded (`today`
 * is `24h`): it says how far back to look, and moves nothing.
 *
 * So a model that was manipulated can only repeat what this person wrote.
 */
export function quotesAuthor({ command, values }: Reading, text: string): boolean {
	const plain = text.normalize("NFKC");
	return Object.entries(values).every(([name, value]) => {
		const slot = command.slots[name];
		return slot !== undefined && stands(slot, value.normalize("NFKC").toLowerCase(), plain);
	});
}

function stands({ kind }: Slot, value: string, typed: string): boolean {
	const said = typed.toLowerCase();
	// Compared as typed: an address with a wrong checksum is a typing error, whoever repeats it.
	if (ADDRESS.test(value)) {
		return tokensOf(typed).some((token) => readAddress(token.toLowerCase(), token) === value);
	}
	switch (kind) {
		case "window":
			return true;
		case "amount":
		case "token":
			return said.matchAll(NUMBER).some(([number]) => number === value);
		case "percent":
			return said.matchAll(PERCENTAGE).some(([, number]) => number === value);
		case "id":
			return tokensOf(said).includes(value);
		case "asset":
		case "chain":
		case "collection":
			return hasRun(wordsOf(said), wordsOf(value));
		case "word":
			// A coin's symbol may directly follow its amount: `0.5eth`.
			return hasRun(wordsOf(said.replace(/(\d)(?=\p{L})/gu, "$1 ")), wordsOf(value));
		default:
			return false;
	}
}

const ADDRESS = /^0x[0-9a-f]{40}$/;

/**
 * Matches whole plain decimals that are no part of something else: not a piece of an address, a
 * version, a longer number or a sum (`1/2`, `3-5`), not multiplied by what follows (`5k`, `2
 * million`, `1e18`), and no count of other money or shares (`$5`, `5 dollars`, `10%`).
 */
const NUMBER =
	/(?<![\p{L}\p{N}_.,+*/^×÷−–—-]|\d['’]|\p{Sc}\s*)\d+(?:\.\d+)?(?![\p{N}_]|[.,'’]\d|x[\da-f]|e[\d+-]|[km]\b|[–—-]\d|\s*[%*/^×÷]|\s*\p{Sc}(?!\p{L})|\s*(?:k|m|mm|b|bn|mil|mio|mn|thousand|million|billion|hundred|dozen|grand|gwei|wei|percent|pct|usd|dollars?|bucks?|cents?|eur|euros?|gbp|pounds?|quid)\b)/gu;

const PERCENTAGE = /(?<![\p{L}\p{N}_.,+*/^×÷−–—-])(\d+)\s*(?:%|(?:percent|pct)\b)/gu;

/** Returns runs of letters and digits, so that an address matches only as a whole. */
function tokensOf(said: string): string[] {
	return said.match(/[\p{L}\p{N}_-]+/gu) ?? [];
}

/** Returns words without the signs around them, and without a possessive `'s`. */
function wordsOf(said: string): string[] {
	return said
		.split(/\s+/u)
		.map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").replace(/['’]s$/u, ""))
		.filter((word) => word !== "");
}

/** Returns true where the words stand together, in their order. */
function hasRun(words: readonly string[], run: readonly string[]): boolean {
	if (run.length === 0) return false;
	return words.some((_, at) => run.every((word, step) => words[at + step] === word));
}
