import type { Reading } from "#agent/grammar/Grammar.ts";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Command } from "#core/plugin/Command.ts";

export type QualifierRules = {
	chains: Pick<ChainRegistry, "bySlug">;
	/** True for a command that moves value: then each number in the text counts. */
	isStrict(command: Command): boolean;
};

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
	const window = kept.find(({ kind }) => kind === "window")?.value;
	return minutesIn(said).every((minutes) => minutes === WINDOW_MINUTES.get(window ?? ""));
}

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
const WINDOW_MINUTES = new Map([
	["5m", 5],
	["1h", 60],
	["6h", 360],
	["24h", 1_440],
	["7d", 10_080],
	["30d", 43_200],
]);

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
