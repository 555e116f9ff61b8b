/** Control, format, private and unassigned characters, and the letters that show nothing. */
const HIDDEN =
	/\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|\u034f|[\u115f\u1160\u2800\u3164\uffa0\ufffd]/gu;

/** Returns a line of text with one blank for each run of blanks and of what cannot be seen. */
export function withoutHidden(line: string): string {
	return line.replace(HIDDEN, " ").replace(/\s+/gu, " ").trim();
}
