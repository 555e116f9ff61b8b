// Checks that a command from a model contains only what its author asked for.

import type { Reading } from "#agent/grammar/Grammar.ts";
import { readPeriod } from "#agent/grammar/readPeriod.ts";
import { readAddress } from "#agent/grammar/readSlot.ts";
import { splitWords } from "#agent/grammar/splitWords.ts";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import { isAddress } from "#core/chain/Hex.ts";
import { minutesOf } from "#core/period.ts";
import type { Command, Slot } from "#core/plugin/Tool.ts";

export type QualifierRules = {
	chains: Pick<ChainRegistry, "bySlug">;
	/** Says whether a command moves value: then each number in the text counts. */
	isStrict(command: Command): boolean;
};

const TOKEN = /(?<![\p{L}\p{N}])#(\d{1,78})(?!\d)/gu;
const ADDRESS = /(?<![\p{L}\p{N}])0x[0-9a-f]{40}(?![\p{L}\p{N}])/gu;
const PERCENTAGE = /(?<![\p{N}.])(\d+)\s*(?:%|percent\b|pct\b)/gu;
const NUMBER = /(?<![\p{L}\p{N}_-])\d+(?:\.\d+)?/gu;
/** A chain follows one of these words; elsewhere it may be part of a name (`base gods`). */
const CHAIN =
	/(?<![\p{L}\p{N}])(?:on|from|to|via|over|across)\s+(?:the\s+)?([\p{L}\p{N}_-]{2,40})/gu;
const DURATION = /(?<![\p{L}\p{N}.])(\d{1,4})\s*-?\s*(min|hour|hr|h|day|d|week|wk|w|month)s?\b/gu;
const MINUTES = new Map([
	["min", 1],
	["h", 60],
	["hr", 60],
	["hour", 60],
	["d", 1_440],
	["day", 1_440],
	["w", 10_080],
	["wk", 10_080],
	["week", 10_080],
	["month", 43_200],
]);
/**
 * Matches whole plain decimals that are no part of something else: not a piece of an address, a
 * version, a longer number or a sum (`1/2`, `3-5`), not multiplied by what follows (`5k`, `2
 * million`, `1e18`), and no count of other money or shares (`$5`, `5 dollars`, `10%`).
 */
const QUOTED_NUMBER =
	/(?<![\p{L}\p{N}_.,+*/^×÷−–—-]|\d['’]|\p{Sc}\s*)\d+(?:\.\d+)?(?![\p{N}_]|[.,'’]\d|x[\da-f]|e[\d+-]|[km]\b|[–—-]\d|\s*[%*/^×÷]|\s*\p{Sc}(?!\p{L})|\s*(?:k|m|mm|b|bn|mil|mio|mn|thousand|million|billion|hundred|dozen|grand|gwei|wei|percent|pct|usd|dollars?|bucks?|cents?|eur|euros?|gbp|pounds?|quid)\b)/gu;

/** Matches `$50`, and not `$50k` or `$1/2`. */
const DOLLARS =
	/(?<![\p{L}\p{N}_.,+*/^×÷−–—-])\$(\d+(?:\.\d+)?)(?=$|[\s.,!?](?!\d)(?!\s*(?:k|m|b|thousand|million|billion|hundred|grand)\b))/gu;

const QUOTED_PERCENTAGE = /(?<![\p{L}\p{N}_.,+*/^×÷−–—-])(\d+)\s*(?:%|(?:percent|pct)\b)/gu;

/**
 * Returns true where a reading keeps everything that narrows the author's request: chains (`on
 * base`), lengths of time, percentages, token ids with `#` and whole addresses; for a command that
 * moves value also every number and every word of a list (`half`).
 *
 * A model that drops one answers another question, or sells all instead of half. If the command has
 * no slot for one, the text stays unread and its author gets help.
 */
export function keepsQualifiers(
	{ command, values }: Reading,
	text: string,
	{ chains, isStrict }: QualifierRules,
): boolean {
	const said = text.normalize("NFKC").toLowerCase();
	const kept = Object.entries(values).map(([name, value]) => {
		return { kind: command.slots[name]?.kind, value: value.toLowerCase() };
	});
	const has = (value: string, ...kinds: string[]) =>
		kept.some(
			(one) => one.value === value && (kinds.length === 0 || kinds.includes(one.kind ?? "")),
		);

	if (chainsIn(said, chains).some((slug) => !has(slug, "chain"))) return false;
	if ([...said.matchAll(TOKEN)].some(([, id = ""]) => !has(id))) return false;
	if ([...said.matchAll(ADDRESS)].some(([address]) => !has(address))) return false;
	if ([...said.matchAll(PERCENTAGE)].some(([, share = ""]) => !has(share, "percent"))) return false;
	if (isStrict(command)) {
		const words = new Set(said.match(/[\p{L}\p{N}]+/gu));
		for (const [name, slot] of Object.entries(command.slots)) {
			if (slot.kind !== "word" || name in values) continue;
			if (slot.of.some((word) => words.has(word.toLowerCase()))) return false;
		}
		return [...said.replace(ADDRESS, " ").matchAll(NUMBER)].every(([number]) => has(number));
	}
	const time = kept.find(({ kind }) => kind === "window" || kind === "period")?.value ?? "";
	return minutesIn(said).every((minutes) => minutes === minutesOf(time.replace(/-ago$/, "")));
}

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

function chainsIn(said: string, chains: QualifierRules["chains"]): string[] {
	return [...said.matchAll(CHAIN)].flatMap(([, word = ""]) => {
		const slug = /^\d/.test(word) ? undefined : chains.bySlug(word)?.slug;
		return slug === undefined ? [] : [slug];
	});
}

/**
 * Returns lengths of time with a number (`2 weeks`) in minutes. Others (`this week`) may be
 * reworded.
 */
function minutesIn(said: string): number[] {
	return [...said.matchAll(DURATION)].map(([, count, unit = ""]) => {
		return Number(count) * (MINUTES.get(unit) ?? 0);
	});
}

function stands(slot: Slot, value: string, typed: string): boolean {
	const said = typed.toLowerCase();
	// Compared as typed: an address with a wrong checksum is a typing error, whoever repeats it.
	if (isAddress(value)) {
		return tokensOf(typed).some((token) => readAddress(token.toLowerCase(), token) === value);
	}
	switch (slot.kind) {
		case "window":
			return true;
		case "period":
			return minutesOf(value) !== undefined || periodsIn(typed).includes(value);
		case "amount":
			if (slot.isDollars) return said.matchAll(DOLLARS).some(([, number]) => number === value);
			return said.matchAll(QUOTED_NUMBER).some(([number]) => number === value);
		case "token":
			return said.matchAll(QUOTED_NUMBER).some(([number]) => number === value);
		case "percent":
			return said.matchAll(QUOTED_PERCENTAGE).some(([, number]) => number === value);
		case "id":
			return tokensOf(said).includes(value);
		case "asset":
		case "chain":
		case "collection":
			return hasRun(bareWordsOf(said), bareWordsOf(value));
		case "word":
			// A coin's symbol may directly follow its amount: `0.5eth`.
			return hasRun(bareWordsOf(said.replace(/(\d)(?=\p{L})/gu, "$1 ")), bareWordsOf(value));
		default:
			return false;
	}
}

/** Returns the names of all periods in a text. */
function periodsIn(typed: string): string[] {
	const words = splitWords(typed);
	if (words.kind !== "words") return [];
	return words.low.flatMap((_, at) => readPeriod(words, at, words.low.length)?.value ?? []);
}

/** Returns runs of letters and digits, so that an address matches only as a whole. */
function tokensOf(said: string): string[] {
	return said.match(/[\p{L}\p{N}_-]+/gu) ?? [];
}

/** Returns true where the words occur in a row, in their order. */
function hasRun(words: readonly string[], run: readonly string[]): boolean {
	if (run.length === 0) return false;
	return words.some((_, at) => run.every((word, step) => words[at + step] === word));
}

/** Returns words without the signs around them, and without a possessive `'s`. */
function bareWordsOf(said: string): string[] {
	return said
		.split(/\s+/u)
		.map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").replace(/['’]s$/u, ""))
		.filter((word) => word !== "");
}
