import { cleanUrl } from "#core/outside/cleanUrl.ts";
import { cleanTraitRows } from "#plugins/market-index/payload/cleanTraitRows.ts";
import type { Payload } from "#plugins/market-index/payload/Payload.ts";

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

function cleanMember(name: string, value: unknown): unknown {
	if (typeof value === "string") return cleanWords(name, value);
	if (typeof value !== "object" || value === null) return value;
	if (TRAIT_LISTS.has(name)) return Array.isArray(value) ? cleanTraitRows(value) : null;
	if (isRecord(value)) return cleanPayload(value);
	return Array.isArray(value) ? cleanList(name, value) : null;
}

/** The members of a list have the name of the list. */
function cleanList(name: string, list: unknown[]): unknown[] {
	const clean = list.map((value) => cleanMember(name, value));
	return clean.every((value, index) => value === list[index]) ? list : clean;
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

function isRecord(value: object): value is Payload {
	return !Array.isArray(value);
}
