/** Control, format, private and unassigned characters, and the letters that show nothing. */
const UNREADABLE =
	/\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|\u034f|[\u115f\u1160\u2800\u3164\uffa0\ufffd]/gu;

/**
 * A text from the provider, whose collections anybody can name: nothing that reverses it, hides it
 * or breaks the database. One line, or with `lines` the lines it came in. Markup is text like any
 * other: whoever shows it escapes it. Null where it is none or nothing readable is left.
 */
export function cleanText(
	value: unknown,
	{ lengthMax, lines = false }: { lengthMax: number; lines?: boolean },
): string | null {
	if (typeof value !== "string") return null;
	// Cut before the work as well: composing may shorten, but never to a quarter.
	const text = value
		.slice(0, lengthMax * 4)
		.toWellFormed()
		.normalize("NFC");
	const parts = lines ? text.split(/\r\n|[\n\r\u2028\u2029]/) : [text];
	const clean = parts
		.map((part) => part.replace(UNREADABLE, " ").replace(/\s+/gu, " ").trim())
		.join("\n")
		.replace(/\n{3,}/g, "\n\n")
		.trim();
	const kept = clean.length > lengthMax ? [...clean].slice(0, lengthMax).join("").trimEnd() : clean;
	// Marks alone (a variation selector, an accent) have nothing to stand on.
	return /[^\s\p{M}]/u.test(kept) ? kept : null;
}
