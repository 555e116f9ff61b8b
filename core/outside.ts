// Cleans texts, traits and URLs that strangers wrote.

import { isPublicHost } from "#core/foreign/addresses.ts";

/** A property of a token: its name, its value as text, and what kind of value that is. */
export type CleanTrait = { type: string; value: string; displayType: string | null };

/** `link`: people follow it. `media`: it is drawn or played, and may hold its own content. */
export type UrlKind = "link" | "media";

/** Control, format, private and unassigned characters, and the letters that show nothing. */
const HIDDEN =
	/\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|\u034f|[\u115f\u1160\u2800\u3164\uffa0\ufffd]/gu;

/** Nearly every name there is: nothing in it has to be looked at by the rules below. */
const PLAIN = /^[!-~]+( [!-~]+)*$/;

/** Characters of a URL that leads somewhere. */
export const URL_LENGTH_MAX = 2_048;

/** Characters of a picture, a sound or a film, which may lie in the URL itself. */
export const MEDIA_URL_LENGTH_MAX = 32_768;

/** Characters of a trait's name, and of its value. */
export const TRAIT_LENGTH_MAX = 128;

const PROTOCOLS = { link: /^https?:$/, media: /^(?:https?|ipfs|ipns|ar):$/ };
const HELD = /^data:(?:image|video|audio)\/[a-z0-9.+-]+[;,]/i;
/** Matches invisible characters, and those that two parsers read in two ways. */
const HIDDEN_IN_URL = /[\p{C}\p{Zl}\p{Zp}]/u;
/** Matches characters that would end an unescaped attribute or header, or change a path. */
const UNSAFE = /[\s"'<>`\\]/;

/**
 * Nearly every URL there is: https, a name with dots that is of no local network, and a path of
 * ordinary characters. Nothing in it has to be looked at by the rules below.
 */
const ORDINARY =
	/^https:\/\/(?:[a-z0-9-]+\.)+(?!local|int|lan|arpa)[a-z]{2,}(?:\/[\w\-./%?=&~+,;:@!$()*#]*)?$/;

/**
 * Returns a stranger's text in the lines that it came in, at most one of them empty in a row; null
 * where it is no text or nothing readable is left. The rules of `cleanLine` hold for each line.
 */
export function cleanProse(value: unknown, { lengthMax }: { lengthMax: number }): string | null {
	if (typeof value !== "string") return null;
	const text = value
		.slice(0, lengthMax * 4)
		.toWellFormed()
		.normalize("NFC");
	const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map(withoutHidden);
	return readable(
		lines
			.join("\n")
			.replace(/\n{3,}/g, "\n\n")
			.trim(),
		lengthMax,
	);
}

/**
 * Returns a stranger's trait as it may be stored, counted and shown; null where it has no name or
 * no plain value. Numbers and truth values become text; an object or a list is not a value.
 */
export function cleanTrait(told: {
	type: unknown;
	value: unknown;
	displayType?: unknown;
}): CleanTrait | null {
	const type = plainText(told.type);
	const value = plainText(told.value);
	if (type === null || value === null) return null;
	return { type, value, displayType: plainText(told.displayType) };
}

/**
 * Returns a stranger's text as one line, fit to be stored and shown; null where it is no text or
 * nothing readable is left.
 *
 * Anybody may name a token or a collection: what reverses text, hides it or breaks the database
 * goes. Markup is text like any other, which whoever shows it escapes.
 */
export function cleanLine(value: unknown, { lengthMax }: { lengthMax: number }): string | null {
	if (typeof value !== "string") return null;
	if (value.length <= lengthMax && PLAIN.test(value)) return value;
	// Cut before the work as well: composing may shorten, but never to a quarter.
	const text = value
		.slice(0, lengthMax * 4)
		.toWellFormed()
		.normalize("NFC");
	return readable(withoutHidden(text), lengthMax);
}

/** Returns a text cut to a length in whole characters; null where only blanks or marks are left. */
export function readable(text: string, lengthMax: number): string | null {
	const kept = text.length > lengthMax ? [...text].slice(0, lengthMax).join("").trimEnd() : text;
	// Marks alone (a variation selector, an accent) have nothing to stand on.
	return /[^\s\p{M}]/u.test(kept) ? kept : null;
}

/** Returns a line of text with one blank for each run of blanks and of what cannot be seen. */
export function withoutHidden(line: string): string {
	return line.replace(HIDDEN, " ").replace(/\s+/gu, " ").trim();
}

/**
 * Returns a stranger's URL as it may be stored and handed to a browser; null where it may not.
 *
 * Other schemes (`javascript:`, documents in `data:`) and hosts of local networks are refused: a
 * page that shows such an image has its reader's machine ask them. Credentials are taken off, as
 * whoever wrote them down gave them to nobody who reads this.
 */
export function cleanUrl(
	value: unknown,
	kind: UrlKind,
	{ lengthMax = URL_LENGTH_MAX }: { lengthMax?: number } = {},
): string | null {
	if (typeof value !== "string" || value.length > MEDIA_URL_LENGTH_MAX) return null;
	if (value.length <= lengthMax && ORDINARY.test(value)) return value;
	const text = value.trim();
	if (HIDDEN_IN_URL.test(text)) return null;
	if (kind === "media" && HELD.test(text)) return text;
	if (text.length > lengthMax) return null;
	const url = URL.parse(text);
	if (!url || !PROTOCOLS[kind].test(url.protocol)) return null;
	const isWeb = url.protocol === "http:" || url.protocol === "https:";
	if (isWeb && !isPublicHost(url.hostname)) return null;
	const hasCredentials = url.username !== "" || url.password !== "";
	const isPlain = !UNSAFE.test(text) && (!isWeb || /^https?:\/\/[^/]/i.test(text));
	if (isPlain && !hasCredentials) return text;
	url.username = "";
	url.password = "";
	return url.href.replaceAll("'", "%27");
}

function plainText(value: unknown): string | null {
	const isPlain = typeof value === "boolean" || Number.isFinite(value);
	return cleanLine(isPlain ? String(value) : value, { lengthMax: TRAIT_LENGTH_MAX });
}
