// Cleans a provider's JSON before it is stored, and before it is shown.

import { cleanLine, cleanUrl, TRAIT_LENGTH_MAX } from "#core/outside.ts";
import { TOKEN_TRAITS_MAX } from "#plugins/market-index/tokens/model.ts";

/** A provider's words about something, as an object of JSON. */
type Payload = Readonly<Record<string, unknown>>;

/** The members of a provider's event that API answers show, cleaned. */
type ShownPayload = {
	imageUrl: string | null;
	traits: unknown[] | null;
	providerPayload: Payload | null;
};

type Row = Record<string, unknown>;

/** Members that providers give a trait. */
const MEMBERS: ReadonlySet<string> = new Set([
	...["trait_type", "type", "name", "key", "value"],
	...["display_type", "max_value", "min", "max", "trait_count", "order"],
]);
const NAMES = ["trait_type", "type", "name", "key"] as const;
const VALUES = ["value", "min", "max"] as const;

/** Characters of one text. */
const TEXT_LENGTH_MAX = 8_192;

/** Names of members whose text is a URL, as the provider sends them. */
const URL_NAME = /(?:url|uri|link|href|src|image|banner|logo|icon)s?$/i;
const TRAIT_LISTS: ReadonlySet<string> = new Set(["traits", "attributes"]);

const VISIBLE = /^[ -~]*$/;
/** Characters that a terminal or a page acts on, or that reverse text. */
const HIDDEN = /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Matches a text that begins like a URL; URL parsers ignore line breaks, so it does too. */
const SCHEME = /^\s*(?:[a-z][a-z0-9+.\-\t\n\r]*:|\/\/)/i;
/** Matches URLs that a browser runs, or that open in place of a page. */
const SCRIPT = /^\s*(?:javascript|vbscript|livescript):/i;
const DOCUMENT =
	/^\s*(?:(?:file|blob|filesystem|view-source):(?:\/|https?:|null)|data:(?:text|application|image)\/)/i;
const WHOLLY_URL = /^\s*(?:https?:|\/\/)\S+\s*$/i;

/** Characters of a payload's JSON that are worth keeping. */
const PAYLOAD_LENGTH_MAX = 262_144;

/** Levels of nesting: PostgreSQL gives up with `stack depth limit exceeded` at some thousand. */
const PAYLOAD_DEPTH_MAX = 64;

/** NUL, and halves of surrogate pairs: `JSON.stringify` escapes these and never a whole pair. */
const UNSTORABLE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** Each escape as a whole, so that `\\u0000` (a backslash and text) is not taken for a NUL. */
const ESCAPES = /\\(?:u([0-9a-f]{4})|.)/g;

/**
 * Returns image and traits, wherever the provider put them: on the event itself, in its `nft`
 * (sales and transfers over REST), `asset` (orders) or `item.metadata` (the stream). The image is
 * `image_url`, then `display_image_url`. Cleaned here as well as when stored: some rows are older
 * than the cleaning.
 */
export function shownPayload(stored: Payload | null): ShownPayload {
	if (stored === null) return { imageUrl: null, traits: null, providerPayload: null };
	const payload = cleanPayload(stored);
	const parts = partsOf(payload);
	const traits = parts.map((part) => part["traits"]).find((value) => Array.isArray(value)) ?? null;
	const imageUrl = textIn(parts, "image_url") ?? textIn(parts, "display_image_url");
	return { imageUrl, traits, providerPayload: payload };
}

/**
 * Returns a provider's words in the form that is stored and shown: clean (`cleanPayload`), and
 * valid for `jsonb`. Null where they are too large or too deep: their subject is then stored
 * without them. The frame and the route that reads it back show the same.
 */
export function storablePayload(payload: Payload | null): Payload | null {
	const storable = storableJson(payload);
	return storable && cleanPayload(storable);
}

/**
 * Returns a provider's words without what may not be shown: each URL as `cleanUrl` leaves it (null
 * where it is refused), traits plain and short, texts without hidden characters and cut at 8,192.
 *
 * What is clean already is returned as it is, without a copy: most words are, and those of stored
 * events are looked at each time they are read.
 */
export function cleanPayload(payload: Payload): Payload {
	let changed: Record<string, unknown> | null = null;
	for (const name of Object.keys(payload)) {
		const value = payload[name];
		const clean = cleanMember(name, value);
		if (clean === value) continue;
		changed ??= { ...payload };
		changed[name] = clean;
	}
	return changed ?? payload;
}

/**
 * Returns the traits of a list that have a name and a plain value, in the form that they came in,
 * with texts of at most 128 characters; null where the list had some and none of them is a trait.
 * A list that is clean already is returned as it is.
 */
function cleanTraitRows(rows: unknown[]): unknown[] | null {
	const clean: Row[] = [];
	for (const row of rows.slice(0, TOKEN_TRAITS_MAX)) {
		const kept = cleanRow(row);
		if (kept) clean.push(kept);
	}
	if (clean.length === 0 && rows.length > 0) return null;
	const isSame = clean.length === rows.length && clean.every((row, index) => row === rows[index]);
	return isSame ? rows : clean;
}

/**
 * Returns JSON as `jsonb` can hold it: NUL and lone surrogates, which it refuses (22P05, 22P02),
 * become the replacement character. Null where it is too large or too deep. For what must not be
 * changed otherwise, such as a signed order; whatever is shown goes through `storablePayload`.
 */
export function storableJson(payload: Payload | null): Payload | null {
	if (payload === null || isDeeper(payload, PAYLOAD_DEPTH_MAX)) return null;
	const text = JSON.stringify(payload);
	if (text.length > PAYLOAD_LENGTH_MAX) return null;
	if (!UNSTORABLE.test(text)) return payload;
	return JSON.parse(
		text.replace(ESCAPES, (whole, code?: string) => {
			return code === "0000" || code?.startsWith("d") ? "\ufffd" : whole;
		}),
	);
}

/**
 * Returns the objects in which values are searched, outermost first. The stream wraps its events
 * once more.
 */
function partsOf(payload: Payload): Payload[] {
	const inner = partOf(payload, "payload");
	const parts: Payload[] = [];
	for (const event of inner ? [payload, inner] : [payload]) {
		const item = partOf(event, "item");
		for (const part of [
			event,
			partOf(event, "nft"),
			partOf(event, "asset"),
			item && partOf(item, "metadata"),
		]) {
			if (part) parts.push(part);
		}
	}
	return parts;
}

function partOf(payload: Payload, key: string): Payload | null {
	const value = payload[key];
	return isRecord(value) ? value : null;
}

function textIn(parts: readonly Payload[], key: string): string | null {
	for (const part of parts) {
		const value = part[key];
		if (typeof value === "string" && value !== "") return value;
	}
	return null;
}

function cleanMember(name: string, value: unknown): unknown {
	if (typeof value === "string") return cleanWords(name, value);
	if (typeof value !== "object" || value === null) return value;
	if (TRAIT_LISTS.has(name)) return Array.isArray(value) ? cleanTraitRows(value) : null;
	if (isRecord(value)) return cleanPayload(value);
	return Array.isArray(value) ? cleanList(name, value) : null;
}

function cleanWords(name: string, text: string): string | null {
	if (text === "") return text;
	if (URL_NAME.test(name)) return cleanUrl(text, "media");
	const visible = VISIBLE.test(text) ? text : text.replace(HIDDEN, "");
	const kept = visible.length > TEXT_LENGTH_MAX ? cut(visible) : visible;
	if (!SCHEME.test(kept)) return kept;
	const joined = kept.replace(/[\t\n\r]/g, "");
	const isUrl = SCRIPT.test(joined) || DOCUMENT.test(joined) || WHOLLY_URL.test(joined);
	return isUrl ? cleanUrl(kept, "media") : kept;
}

/** Cuts a text, but not within a pair of surrogates. */
function cut(text: string): string {
	return text
		.slice(0, TEXT_LENGTH_MAX)
		.toWellFormed()
		.replace(/\ufffd$/, "");
}

/** Cleans a list's members, each under the name of the list. */
function cleanList(name: string, list: unknown[]): unknown[] {
	const clean = list.map((value) => cleanMember(name, value));
	return clean.every((value, index) => value === list[index]) ? list : clean;
}

function cleanRow(row: unknown): Row | null {
	if (!isRecord(row)) return null;
	const clean = isCleanRow(row) ? row : plainMembers(row);
	const hasName = NAMES.some((name) => typeof clean[name] === "string");
	const hasValue = VALUES.some((name) => clean[name] !== undefined && clean[name] !== null);
	return hasName && hasValue ? clean : null;
}

function isRecord(value: unknown): value is Row {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCleanRow(row: Row): boolean {
	for (const name in row) if (!MEMBERS.has(name) || plainOf(row[name]) !== row[name]) return false;
	return true;
}

/** Returns a plain value, else undefined. Null is what providers write for a missing value. */
function plainOf(value: unknown): string | number | boolean | null | undefined {
	if (value === null || typeof value === "boolean") return value;
	if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
	return cleanLine(value, { lengthMax: TRAIT_LENGTH_MAX }) ?? undefined;
}

function plainMembers(row: Row): Row {
	const clean: Row = {};
	for (const [name, value] of Object.entries(row)) {
		const plain = MEMBERS.has(name) ? plainOf(value) : undefined;
		if (plain !== undefined) clean[name] = plain;
	}
	return clean;
}

/** Says whether a value is too deep; ends at the first branch that is. */
function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}
