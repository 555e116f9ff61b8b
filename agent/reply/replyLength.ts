/** The length of a text: in code points, and weighted as X counts it. */
export type ReplyLength = { codePoints: number; weighted: number };

/**
 * Counts a text in code points, and as X counts posts: most scripts 1, all else (CJK, emoji) 2.
 *
 * X counts a whole emoji as 2 and a link as 23. Here each code point of an emoji counts by itself,
 * which is never less; and a counted text has no links (see `harmless`).
 */
export function replyLength(text: string): ReplyLength {
	let codePoints = 0;
	let weighted = 0;
	for (const character of text.normalize("NFC")) {
		codePoints += 1;
		weighted += weightOf(character.codePointAt(0) ?? 0);
	}
	// The sent text is not composed (NFC): its own code points count if there are more.
	return { codePoints: Math.max(codePoints, [...text].length), weighted };
}

/** Ranges of weight 1 in twitter-text's configuration, version 3. */
const LIGHT: readonly (readonly [number, number])[] = [
	[0, 4_351],
	[8_192, 8_205],
	[8_208, 8_223],
	[8_242, 8_247],
];

function weightOf(codePoint: number): number {
	return LIGHT.some(([first, last]) => codePoint >= first && codePoint <= last) ? 1 : 2;
}
