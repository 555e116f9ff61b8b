import { NAME_LENGTH_MAX } from "#plugins/market-index/limits.ts";

/** Control, format, private and unassigned characters, and the letters that show nothing. */
const UNREADABLE =
	/\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|\u034f|[\u115f\u1160\u2800\u3164\uffa0\ufffd]/gu;

/** Nearly every name and trait there is: nothing in it has to be looked at by the rules below. */
const PLAIN = /^[!-~]+( [!-~]+)*$/;

/**
 * A name from a stranger, fit to be stored and shown: nothing that reverses text, hides it or
 * breaks the database, one line, at most 256 characters. Null where nothing readable is left.
 */
export function cleanName(text: string | null): string | null {
	if (text === null) return null;
	if (text.length <= NAME_LENGTH_MAX && PLAIN.test(text)) return text;
	const name = text
		.slice(0, NAME_LENGTH_MAX * 4)
		.toWellFormed()
		.normalize("NFC")
		.replace(UNREADABLE, " ")
		.replace(/\s+/gu, " ")
		.trim();
	const kept = [...name].slice(0, NAME_LENGTH_MAX).join("").trimEnd();
	// Marks alone (a variation selector, an accent) have nothing to stand on.
	return /[^\s\p{M}]/u.test(kept) ? kept : null;
}
