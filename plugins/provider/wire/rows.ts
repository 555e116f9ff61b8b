// Reads values and lists of the provider, each member by itself, and keeps raw rows.

import { z } from "zod";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { cleanLine, cleanProse, cleanUrl } from "#core/outside.ts";
import {
	CURSOR_LENGTH_MAX,
	NAME_LENGTH_MAX,
	PROSE_LENGTH_MAX,
	RAW_DEPTH_MAX,
	SYMBOL_LENGTH_MAX,
} from "#plugins/provider/limits.ts";

/**
 * The result of reading a row: the row, `elsewhere` for one on an unknown kind of chain, or
 * `unreadable`. Only the last is counted and logged.
 */
export type Reading<Row extends object> = Row | "elsewhere" | "unreadable";

/** Translates the provider's names of chains to ids, and back. */
export type ChainNames = {
	/** Returns null for an unknown chain. */
	idOf(name: string | null): number | null;
	nameOf(chainId: number): string | null;
};

export type ReadRows<Row> = {
	items: Row[];
	unreadable: number;
	/** The time of each unreadable row, where `timeOf` is given. */
	unreadableAtMs: (number | null)[];
};

export type RowsReading<Row extends object> = {
	read: (row: unknown) => Reading<Row>;
	/** Returns when an unreadable row happened; null where it does not say. */
	timeOf?: (row: unknown) => number | null;
};

type Kept = Readonly<Record<string, unknown>>;
type Options = { bytesMax: number; textLengthMax: number };

/** The provider's names that differ from ours, by chain id. */
const SPELLED: Readonly<Record<number, string>> = {
	33139: "ape_chain",
	80094: "bera_chain",
	988: "stablechain",
};

/** The provider's name of the exchange beside HyperEVM, which is no EVM chain. */
const NO_EVM_CHAIN = "hyperliquid";

const CONTROLS = /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A number that a double may not hold: sixteen digits and more, or an exponent. */
const MAY_BE_INEXACT = /[[:,]\s*-?(?:\d{16}|[\d.]+[eE])/;
const EXPONENT_MAX = 100;

/** The year 2200: a later time is a mistake, or "never", and unknown in both cases. */
const TIME_MAX_MS = 7_258_118_400_000;
const MILLISECONDS_FROM = 100_000_000_000;

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

const UINT256_MAX = (1n << 256n) - 1n;

/**
 * Members of the provider's answers. None refuses: a missing or unreadable member is null, so that
 * it costs only itself, and the reader of a row decides which members it requires.
 */
export const wireField = {
	name: member((value) => cleanLine(value, { lengthMax: NAME_LENGTH_MAX })),
	prose: member((value) => cleanProse(value, { lengthMax: PROSE_LENGTH_MAX })),
	symbol: member((value) => cleanLine(value, { lengthMax: SYMBOL_LENGTH_MAX })),
	slug: member(slugOf),
	/** An opaque text that is sent back as it came. */
	cursor: member((value) =>
		typeof value === "string" && value.length <= CURSOR_LENGTH_MAX && value !== "" ? value : null,
	),
	link: member((value) => cleanUrl(value, "link")),
	media: member((value) => cleanUrl(value, "media")),
	address: member((value): Address | null => hexOf(value, 20)),
	hash: member((value): Hex | null => hexOf(value, 32)),
	uint: member(readUint),
	timeMs: member(readTimeMs),
	boolean: member((value) => (typeof value === "boolean" ? value : null)),
	/** A count that fits an `int4`. */
	count: member((value) => {
		const count = readUint(value);
		return count !== null && count < 2n ** 31n ? Number(count) : null;
	}),
	/** A display figure: a double of the provider's, zero or more. */
	figure: member(figureOf),
	decimals: member((value) => {
		const decimals = readUint(value);
		return decimals !== null && decimals <= 77n ? Number(decimals) : null;
	}),
	record: member(recordOf),
	list: member((value): readonly unknown[] | null => (Array.isArray(value) ? value : null)),
	/** Any value; the reader checks it. */
	any: member((value) => value),
};

const record = z.record(z.string(), z.unknown());

/**
 * Makes the translation. It reads every spelling of the registry (`matic`), and writes the
 * provider's own: the provider ignores a filter by an unknown chain, and its answer would then be
 * about all chains.
 */
export function createChainNames(chains: ChainRegistry): ChainNames {
	return {
		idOf: (name) =>
			name === null || name.toLowerCase() === NO_EVM_CHAIN
				? null
				: (chains.bySlug(name)?.id ?? null),
		nameOf: (chainId) => SPELLED[chainId] ?? chains.byId(chainId)?.slug ?? null,
	};
}

/**
 * Returns a row as it was sent, fit to be stored and passed on: without the characters that break a
 * database or a terminal, at most sixteen levels deep and `bytesMax` long. In a longer one the
 * texts are shortened first. Null where even that is too long; nothing else is ever changed.
 */
export function keepRaw(
	value: Readonly<Record<string, unknown>>,
	options: { bytesMax: number; mayShorten: boolean },
): Kept | null {
	const { bytesMax, mayShorten } = options;
	const whole = keep(value, { bytesMax, textLengthMax: Number.POSITIVE_INFINITY });
	if (whole || !mayShorten) return whole;
	return keep(value, { bytesMax, textLengthMax: 256 });
}

/**
 * Parses JSON without losing integers: one that a double cannot hold becomes its decimal text.
 * Amounts have been sent as JSON numbers, and 90000000000000000001 read as a double is another
 * price. Returns undefined where the text is no JSON.
 */
export function parseWireJson(text: string): unknown {
	try {
		// A reviver takes four times as long as parsing, and most answers have no such number.
		if (!MAY_BE_INEXACT.test(` ${text}`) && !/^\s*-?\d/.test(text)) return JSON.parse(text);
		return JSON.parse(text, exactly);
	} catch {
		return undefined;
	}
}

/** Reads a list of at most `rowsMax`; an unreadable row costs only itself and is counted. */
export function readRows<Row extends object>(
	rows: readonly unknown[],
	{ rowsMax, read, timeOf }: RowsReading<Row> & { rowsMax: number },
): ReadRows<Row> {
	const items: Row[] = [];
	const unreadableAtMs: (number | null)[] = [];
	let unreadable = 0;
	for (const row of rows.slice(0, rowsMax)) {
		const reading = read(row);
		if (reading === "unreadable") {
			unreadable++;
			if (timeOf) unreadableAtMs.push(timeOf(row));
		} else if (reading !== "elsewhere") items.push(reading);
	}
	return { items, unreadable, unreadableAtMs };
}

/**
 * Reads a time in the provider's forms: seconds (or milliseconds) since 1970 as a number or text,
 * or ISO 8601, in UTC where it names no zone. Null for any other form, and for an implausible year.
 */
export function readTimeMs(value: unknown): number | null {
	const ms = typeof value === "string" && !/^\d+$/.test(value) ? isoMs(value) : countedMs(value);
	return ms !== null && ms > 0 && ms < TIME_MAX_MS ? ms : null;
}

/** Reads a row's number of units: one where it is missing, null where it is invalid. */
export function readUnits(value: unknown): bigint | null {
	return value === undefined || value === null ? 1n : readUint(value);
}

/**
 * Reads an amount, an id or a count, exactly: decimal or hexadecimal text, or a number that a
 * double holds. Null for everything else, and for more than a uint256.
 */
export function readUint(value: unknown): bigint | null {
	if (typeof value === "number") {
		return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
	}
	if (typeof value !== "string") return null;
	if (!/^(?:\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value)) return null;
	const amount = BigInt(value);
	return amount <= UINT256_MAX ? amount : null;
}

function keep(
	value: Readonly<Record<string, unknown>>,
	{ bytesMax, textLengthMax }: Options,
): Kept | null {
	/** Counted on the way, so that a row of 8 MB is not copied only to be refused. */
	let left = bytesMax;
	const kept = record(value, 1);
	return left >= 0 && Buffer.byteLength(JSON.stringify(kept)) <= bytesMax ? kept : null;

	function record(from: object, depth: number): Record<string, unknown> {
		const entries: [string, unknown][] = [];
		for (const [key, member] of Object.entries(from)) {
			if (left < 0) break;
			if (key === "__proto__") continue;
			entries.push([text(key), copy(member, depth + 1)]);
		}
		return Object.fromEntries(entries);
	}

	function copy(from: unknown, depth: number): unknown {
		left -= 1;
		if (left < 0) return null;
		if (typeof from === "string") return text(from);
		if (typeof from !== "object" || from === null) return from;
		if (depth > RAW_DEPTH_MAX) return null;
		if (!Array.isArray(from)) return record(from, depth);
		const list: unknown[] = [];
		for (const item of from) {
			if (left < 0) break;
			list.push(copy(item, depth + 1));
		}
		return list;
	}

	function text(from: string): string {
		left -= Math.min(from.length, textLengthMax);
		return left < 0 ? "" : withoutControls(from.slice(0, textLengthMax));
	}
}

function member<Read>(read: (value: unknown) => Read) {
	return z.unknown().optional().transform(read);
}

function withoutControls(text: string): string {
	return text.toWellFormed().replace(CONTROLS, "");
}

function exactly(_key: string, value: unknown, context?: { source?: string }): unknown {
	if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
	const digits = integerDigits(context?.source ?? "");
	if (digits !== null) return digits;
	return Number.isFinite(value) ? value : null;
}

/** Returns a JSON number's digits, written out; null where it is no integer or absurdly large. */
function integerDigits(source: string): string | null {
	const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(\d{1,3}))?$/.exec(source);
	if (!parts) return null;
	const [, sign = "", whole = "", fraction = "", exponentText = "0"] = parts;
	const exponent = Number(exponentText);
	if (exponent > EXPONENT_MAX) return null;
	const kept = fraction.replace(/0+$/, "");
	if (kept.length > exponent) return null;
	const digits = `${whole}${kept.padEnd(exponent, "0")}`.replace(/^0+(?=\d)/, "");
	return digits === "0" ? digits : `${sign}${digits}`;
}

function isoMs(text: string): number | null {
	const parts = ISO.exec(text);
	if (!parts) return null;
	const zoned = parts[1] || text.length === 10 ? text : `${text}Z`;
	// Nine digits of a second are more than every Date.parse reads.
	const ms = Date.parse(zoned.replace(" ", "T").replace(/(\.\d{3})\d+/, "$1"));
	return Number.isNaN(ms) ? null : ms;
}

function countedMs(value: unknown): number | null {
	if (typeof value !== "number" && typeof value !== "string") return null;
	const counted = Number(value);
	if (!Number.isFinite(counted)) return null;
	return Math.floor(counted < MILLISECONDS_FROM ? counted * 1_000 : counted);
}

/**
 * Returns a text that may be part of a path and of a database row: without blanks, slashes and
 * invisible characters.
 */
function slugOf(value: unknown): string | null {
	if (typeof value !== "string" || value === "." || value === "..") return null;
	return /^[^\s\p{C}/\\?#%]{1,256}$/u.test(value) ? value : null;
}

function hexOf(value: unknown, bytes: number): Hex | null {
	if (typeof value !== "string" || value.length !== 2 + bytes * 2) return null;
	return /^0x[0-9a-fA-F]*$/.test(value) ? `0x${value.slice(2).toLowerCase()}` : null;
}

function figureOf(value: unknown): number | null {
	const isText = typeof value === "string" && /^\d{1,40}(?:\.\d{1,40})?$/.test(value);
	const figure = isText ? Number(value) : value;
	return typeof figure === "number" && Number.isFinite(figure) && figure >= 0 ? figure : null;
}

function recordOf(value: unknown): Record<string, unknown> | null {
	if (Array.isArray(value)) return null;
	const read = record.safeParse(value);
	return read.success ? read.data : null;
}
