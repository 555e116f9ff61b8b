import type { Reading } from "#agent/grammar/Grammar.ts";
import type { Slot } from "#core/plugin/Command.ts";

/**
 * Says whether every value of a reading stands in the author's own text: amounts, addresses, ids,
 * tickers, chains, names and words of a list. Only a window of time may be put in other words
 * (`today` is `24h`): it says how far to look, and moves nothing.
 *
 * So whatever a model is talked into, it can only repeat what this person wrote.
 */
export function quotesAuthor({ command, values }: Reading, text: string): boolean {
	const said = text.normalize("NFKC").toLowerCase();
	return Object.entries(values).every(([name, value]) => {
		const slot = command.slots[name];
		return slot !== undefined && stands(slot, value.normalize("NFKC").toLowerCase(), said);
	});
}

function stands({ kind }: Slot, value: string, said: string): boolean {
	switch (kind) {
		case "window":
			return true;
		case "amount":
		case "percent":
		case "token":
			return numbersOf(said).has(value);
		case "address":
		case "id":
			return tokensOf(said).includes(value);
		case "asset":
		case "chain":
		case "collection":
		case "word":
			return hasRun(wordsOf(said), wordsOf(value));
		default:
			return false;
	}
}

/**
 * Whole plain decimals, and none that is part of something else: no piece of an address, a version
 * or a longer number, and none that the next letters multiply (`5k`, `2 million`, `1e18`).
 */
const NUMBER =
	/(?<![\p{L}\p{N}_.,])\d+(?:\.\d+)?(?![\p{N}_]|[.,]\d|x[\da-f]|e[\d+-]|[km]\b|\s*(?:k|m|mm|b|bn|mil|mio|mn|thousand|million|billion|hundred|dozen|grand|gwei|wei)\b)/gu;

function numbersOf(said: string): Set<string> {
	return new Set(said.match(NUMBER) ?? []);
}

/** Runs of letters and digits: an address is a whole one, never a piece of a longer text. */
function tokensOf(said: string): string[] {
	return said.match(/[\p{L}\p{N}_-]+/gu) ?? [];
}

/** Words without the signs around them, and without a possessive `'s` behind them. */
function wordsOf(said: string): string[] {
	return said
		.split(/\s+/u)
		.map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").replace(/['’]s$/u, ""))
		.filter((word) => word !== "");
}

/** Whether the words stand together, in their order. */
function hasRun(words: readonly string[], run: readonly string[]): boolean {
	if (run.length === 0) return false;
	return words.some((_, at) => run.every((word, step) => words[at + step] === word));
}
