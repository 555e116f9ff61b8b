// Reads one word as a value: an amount, an address, a length of time, a chain.

import { isAddress } from "viem";
import { setOf, type Words } from "#agent/grammar/splitWords.ts";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import { unreachable } from "#core/fault.ts";
import { periodName } from "#core/period.ts";
import type { Slot } from "#core/plugin/Tool.ts";

/**
 * `isReserved`: words that begin a command which moves value are no names, nor tickers without `$`.
 */
export type SlotRules = { chains: Pick<ChainRegistry, "bySlug">; isReserved(low: string): boolean };

/** The required form of each kind of slot, for error messages. */
export const SLOT_LOOKS: Readonly<Record<Slot["kind"], string>> = {
	amount: "an amount such as 0.5",
	percent: "a percentage such as 50%",
	asset: "a ticker such as AAPL, or a token's address",
	collection: "the name or address of a collection",
	token: "a token id such as #12",
	chain: "a known chain",
	address: "a whole address with a right checksum",
	window: "one of 5m, 1h, 6h, 24h, 7d, 30d",
	period: "a time such as 3d, yesterday, in october, 2026-10-14",
	id: "the id of an intent",
	word: "another word",
};

const AMOUNT = /^(?:0|[1-9]\d{0,29})(?:\.\d{1,30})?$/;
const PERCENT = /^(?:100|[1-9]\d?)%$/;
const TOKEN = /^#?(?:0|[1-9]\d{0,77})$/;
const TICKER = /^\$?[a-z][a-z0-9.-]{0,15}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HEX = /^0x[0-9a-f]{6,}$/;
const NAME_WORD =
	/^(?:&|[a-z0-9\u00c0-\u024f\u1e00-\u1eff][a-z0-9\u00c0-\u024f\u1e00-\u1eff'&.+_-]*)$/;

/** Tickers that are also small words of commands are read only with a `$`. */
const SMALL_WORDS = setOf(
	"a all and any as at by for from half in into is it me my no not of on or per share shares the " +
		"to up with worth",
);

/** The last day as a length of time: what is of now answers for it too. */
export const TODAY = "24h";

const WINDOWS = new Set(["5m", "1h", "6h", "24h", "7d", "30d"]);

const TO_TWELVE = "one two three four five six seven eight nine ten eleven twelve".split(" ");
const LARGER = { fifteen: 15, twenty: 20, "twenty-four": 24, thirty: 30, sixty: 60, ninety: 90 };
/** Numbers in words. */
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
	...TO_TWELVE.map((word, at): [string, number] => [word, at + 1]),
	...Object.entries(LARGER),
]);

const UNITS: readonly [string, string][] = [
	["5m", "5min 5mins 5minute 5minutes|5 m|5 min|5 mins|5 minutes|5 minute"],
	["1h", "hour hourly hr 1hr 60m 60min 60mins 1hour|1 h|1 hr|1 hour|60 minutes|60 min|60 mins"],
	["6h", "6hr 6hrs 6hour 6hours|6 h|6 hour|6 hr|6 hrs|6 hours"],
	[
		"24h",
		"day daily today todays today's 24hr 24hrs 24hour 24hours " +
			"1d 1day|1 d|1 day|24 h|24 hour|24 hr|24 hrs|24 hours",
	],
	["7d", "week weeks week's weekly wk 1w 1wk 7day 7days|1 w|1 week|7 d|7 day|7 days"],
	["30d", "month months month's monthly 1mo 30day 30days|1 month|30 d|30 day|30 days|4 weeks"],
];

const WINDOW_WORDS = new Map(
	UNITS.flatMap(([value, spellings]) => {
		const [single = "", ...pairs] = spellings.split("|");
		return [value, ...single.split(" "), ...pairs].map((spelling) => [spelling, value] as const);
	}),
);

export const TIME_UNITS: ReadonlySet<string> = setOf(
	"s sec secs second seconds m min mins minute minutes h hr hrs hour hours d day days w wk week " +
		"weeks mo month months y yr yrs year years",
);
/**
 * Reads one word as the value of a slot; undefined where it does not fit. For names: `isNameWord`.
 */
export function readSlot(
	slot: Slot,
	words: Words,
	at: number,
	rules: SlotRules,
): string | undefined {
	if (words.kinds[at] !== "word") return undefined;
	const low = words.low[at] ?? "";
	switch (slot.kind) {
		case "amount":
			return readAmount(low, slot.isDollars ?? false);
		case "percent":
			return PERCENT.test(low) ? low.slice(0, -1) : undefined;
		case "asset":
			return readAsset(low, words.raw[at] ?? "", rules);
		case "token":
			if (!TOKEN.test(low) || (slot.hasSign && !low.startsWith("#"))) return undefined;
			return low.replace("#", "");
		case "chain":
			return rules.chains.bySlug(low)?.slug;
		case "address":
			return readAddress(low, words.raw[at] ?? "");
		case "window":
			return WINDOWS.has(low) ? low : undefined;
		case "period":
			return slot.isPast && periodName(low) === TODAY ? undefined : periodName(low);
		case "id":
			return UUID.test(low) ? low : undefined;
		case "word":
			return slot.of.find((one) => one.toLowerCase() === low);
		case "collection":
			return undefined;
		default:
			return unreachable(slot);
	}
}

/** Returns the address in lower case; undefined where a mixed-case one has a wrong checksum. */
export function readAddress(low: string, raw: string): string | undefined {
	if (low.length !== 42 || !low.startsWith("0x")) return undefined;
	return isAddress(raw) || (raw === low && isAddress(low)) ? low : undefined;
}

/** Returns true for a word that may be part of a name without quotes. */
export function isNameWord(words: Words, at: number, rules: SlotRules): boolean {
	if (words.kinds[at] !== "word") return false;
	const low = words.low[at] ?? "";
	return NAME_WORD.test(low) && !HEX.test(low) && !UUID.test(low) && !rules.isReserved(low);
}

/** Reads a length of time as people write it; returns the window and how many words it took. */
export function readLooseWindow(
	{ low, kinds }: Words,
	at: number,
	to: number,
): { value: string; used: number } | undefined {
	if (kinds[at] !== "word") return undefined;
	const typed = low[at] ?? "";
	const word = String(NUMBER_WORDS.get(typed) ?? typed);
	const value = WINDOW_WORDS.get(word) ?? (typed.includes("-") ? hyphened(typed) : undefined);
	if (value) return { value, used: 1 };
	const next = at + 1 < to && kinds[at + 1] === "word" ? (low[at + 1] ?? "") : "";
	const isTwo = typed === "twenty" && next === "four";
	if (isTwo && at + 2 < to && WINDOW_WORDS.get(`24 ${low[at + 2]}`))
		return { value: "24h", used: 3 };
	const both = next && /^\d{1,2}$/.test(word) ? WINDOW_WORDS.get(`${word} ${next}`) : undefined;
	return both ? { value: both, used: 2 } : undefined;
}

/** Returns true for the name of a window: `7d`. */
export function isWindow(value: string): boolean {
	return WINDOWS.has(value);
}

/** Returns true for a length of time in one word. */
export function isWindowWord(low: string): boolean {
	return WINDOW_WORDS.has(low);
}

/** Returns how a slot is displayed: `<amount>`, or its possible words. */
export function slotLabel(name: string, slot: Slot): string {
	if (slot.kind === "word") return slot.of.join("|");
	const sign = slot.kind === "amount" && slot.isDollars ? "$" : "";
	return `${sign}<${name.replaceAll("_", " ")}>`;
}

function readAmount(low: string, isDollars: boolean): string | undefined {
	if (low.startsWith("$") !== isDollars) return undefined;
	const amount = isDollars ? low.slice(1) : low;
	return AMOUNT.test(amount) && /[1-9]/.test(amount) ? amount : undefined;
}

function readAsset(low: string, raw: string, rules: SlotRules): string | undefined {
	if (low.startsWith("0x") && low.length > 16) return readAddress(low, raw);
	if (!TICKER.test(low)) return undefined;
	if (low.startsWith("$")) return low.slice(1).toUpperCase();
	return SMALL_WORDS.has(low) || rules.isReserved(low) ? undefined : low.toUpperCase();
}

/** Reads `thirty-day` and `24-hours`. */
function hyphened(low: string): string | undefined {
	const end = low.lastIndexOf("-");
	const count = low.slice(0, end);
	return WINDOW_WORDS.get(`${NUMBER_WORDS.get(count) ?? count} ${low.slice(end + 1)}`);
}
