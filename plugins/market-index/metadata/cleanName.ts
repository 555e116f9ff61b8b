import { NAME_LENGTH_MAX } from "#plugins/market-index/limits.ts";

/**
 * A name from a stranger, fit to be stored and shown: no control, format or private characters
 * (they reverse text, hide it, or break the database), one line, at most 256 characters. Null
 * where nothing readable is left.
 */
export function cleanName(text: string | null): string | null {
	if (text === null) return null;
	const name = text
		.slice(0, NAME_LENGTH_MAX * 4)
		.toWellFormed()
		.normalize("NFC")
		.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\uFFFD]/gu, " ")
		.replace(/\s+/gu, " ")
		.trim();
	const kept = [...name].slice(0, NAME_LENGTH_MAX).join("");
	return kept === "" ? null : kept;
}
