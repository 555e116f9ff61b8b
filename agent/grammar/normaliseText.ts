/** The text in one plain spelling, or why it is refused. Positions are those of the typed text. */
export type Normalised =
	| { kind: "text"; text: string; positionOf(index: number): number }
	| TextRefusal;

export type TextRefusal = { kind: "refused"; code: string; detail: string; position: number };

export const TEXT_LENGTH_MAX = 2_000;

/**
 * Converts a text to the one spelling that commands are read in: composed letters, plain blanks,
 * straight quotes. Characters that a person could mistake for others are refused, never repaired: a
 * lookalike of an amount or a name would be executed as what it really is.
 *
 * Outside double quotes only Latin letters, the digits 0 to 9 and usual punctuation are allowed.
 * Inside them, a name of one script.
 */
export function normaliseText(text: string): Normalised {
	if (text.length > TEXT_LENGTH_MAX && [...text].length > TEXT_LENGTH_MAX) {
		const detail = `A command has at most ${TEXT_LENGTH_MAX} characters.`;
		return { kind: "refused", code: "text_too_long", detail, position: TEXT_LENGTH_MAX };
	}
	if (PLAIN.test(text)) return { kind: "text", text, positionOf: samePosition };
	const writer = createWriter();
	for (let at = 0; at < text.length; ) {
		const { size, put, code } = readCharacter(text, at, writer.isQuoted());
		const refusal = code ?? writer.put(put, at);
		if (refusal) return refused(refusal, at);
		at += size;
	}
	const refusal = writer.refusal();
	return refusal ? refused(refusal.code, refusal.position) : writer.done();
}

type TextCode = keyof typeof DETAILS;

const DETAILS = {
	text_invisible: "The text has a character that cannot be seen. Type it again by hand.",
	text_foreign_digits: "Numbers are written with the digits 0 to 9.",
	text_confusable: "The text has a character that looks like another one.",
	text_mixed_scripts:
		'Only Latin letters are read here. A name in one other script goes into "double quotes".',
	text_two_commands: "The text has several lines. Send one command at a time.",
};

const PLAIN = /^[ -~]*$/;
const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/;
const BLANK = /[\t\p{Zs}]/u;
const EMOJI = /\p{RGI_Emoji}/vy;
/** Excludes keycaps, which are digits, and tag characters, which are invisible text. */
const NO_EMOJI = /[ -~\u{e0000}-\u{e007f}]/u;
const INVISIBLE =
	/\p{C}|\p{Variation_Selector}|[\u115f\u1160\u2800\u3164\uffa0\ufffd]|\u034f|\u17b4|\u17b5/u;
const LETTER = /\p{L}/u;
const MARK = /\p{M}/u;
const FULL_WIDTH_LETTER = /[\uff21-\uff3a\uff41-\uff5a]/;
/** Latin letters with an accent, and European ones that resemble no other letter. */
const LATIN = /^(?:[A-Za-z]|[\u00c0-\u024f\u1e00-\u1eff]|[ÆæØøßŒœÞþ])$/;
const OWN_LATIN = /[A-Za-zÆæØøßŒœÞþ]/;
const SIGNS: Readonly<Record<string, string>> = {
	...{ "“": '"', "”": '"', "„": '"', "‟": '"' },
	...{ "‘": "'", "’": "'", "‚": "'", "‛": "'" },
	// Three dots, not one: "0…5" must not become an amount.
	...{ "–": "-", "—": "-", "…": "..." },
};

/** Reads one character with its combining marks: what to write for it, or the code of a refusal. */
function readCharacter(
	text: string,
	at: number,
	quoted: boolean,
): { size: number; put: string; code?: TextCode } {
	const point = String.fromCodePoint(text.codePointAt(at) ?? 0);
	const isBare = !MARK.test(charAt(text, at + point.length));
	if (PLAIN.test(point) && isBare) return { size: 1, put: point };
	if (LINE_BREAK.test(point)) return { size: 1, put: "\n" };
	if (BLANK.test(point)) return { size: point.length, put: " " };
	EMOJI.lastIndex = at;
	const emoji = EMOJI.exec(text)?.[0];
	if (emoji && !NO_EMOJI.test(emoji)) {
		return { size: emoji.length, put: quoted ? emoji : ` ${emoji} ` };
	}
	if (INVISIBLE.test(point)) return { size: 1, put: "", code: "text_invisible" };
	let size = point.length;
	while (size < 12 && MARK.test(charAt(text, at + size))) size += charAt(text, at + size).length;
	const whole = text.slice(at, at + size).normalize("NFC");
	if (INVISIBLE.test(whole)) return { size, put: "", code: "text_invisible" };
	if (/[^\P{N}0-9]/u.test(whole)) return { size, put: "", code: "text_foreign_digits" };
	const sign = SIGNS[whole];
	if (sign) return { size, put: sign };
	if (FULL_WIDTH_LETTER.test(whole)) return { size, put: whole.normalize("NFKC") };
	const isOwn = LETTER.test(whole) ? isReadable(whole) : quoted && isSafeSign(whole);
	return isOwn ? { size, put: whole } : { size, put: "", code: "text_confusable" };
}

function charAt(text: string, at: number): string {
	return at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : "";
}

/** Returns true for a Latin letter that names use, or a letter of a living script. */
function isReadable(letter: string): boolean {
	if (!/\p{Script=Latin}/u.test(letter)) {
		return !/\p{Script=Inherited}/u.test(letter) && letter.normalize("NFKC") === letter;
	}
	return LATIN.test(letter) && OWN_LATIN.test(letter.normalize("NFD").charAt(0));
}

function isSafeSign(sign: string): boolean {
	return sign === "™" || (/^[\p{P}\p{S}]$/u.test(sign) && sign.normalize("NFKC") === sign);
}

/** Scripts in use today; letters of all others can be mistaken for letters of these. */
const SCRIPTS = [
	...["Latin", "Cyrillic", "Greek", "Armenian", "Georgian", "Hebrew", "Arabic", "Devanagari"],
	...["Bengali", "Gurmukhi", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"],
	...["Thai", "Lao", "Tibetan", "Myanmar", "Khmer", "Ethiopic", "Han", "Hiragana", "Katakana"],
	...["Hangul", "Bopomofo"],
].map((name) => ({ name, pattern: new RegExp(`\\p{Script_Extensions=${name}}`, "u") }));

/** Scripts that are used together (Unicode TR39, 5.1). */
const TOGETHER = [
	new Set(["Han", "Hiragana", "Katakana"]),
	new Set(["Han", "Hangul"]),
	new Set(["Han", "Bopomofo"]),
];

/** Lists letters of other scripts that look like Latin ones. */
const LATIN_LOOKS = new Set(
	"аАвВеЕкКмМнНоОрРсСтТуУхХіІјЈѕЅһҺԁԛԜԝѡгпьЬЗзЭбαΑβΒΕεΖΗηΙιΚκΜΝνοΟρΡΤτυΥΧχωγσոսօհցզՕՍՏ",
);

/** Makes a collector of normalised text that checks the scripts of each word and quoted name. */
function createWriter() {
	let text = "";
	const positions: number[] = [];
	let quoted = false;
	let scripts = new Set<string>();
	let looksLatin = true;
	let strange: number | undefined;
	let lineBreak: number | undefined;

	/** Ends a word or a name; returns a refusal if it mixes scripts or imitates Latin letters. */
	function endName(): { code: TextCode; position: number } | undefined {
		const names = [...scripts];
		const position = strange ?? 0;
		const isFake = strange !== undefined && looksLatin;
		const isMixed =
			names.length > 1 && !TOGETHER.some((set) => names.every((name) => set.has(name)));
		const isOutside = strange !== undefined && !quoted;
		scripts = new Set();
		looksLatin = true;
		strange = undefined;
		if (isMixed) return { code: "text_mixed_scripts", position };
		if (isFake) return { code: "text_confusable", position };
		return isOutside ? { code: "text_mixed_scripts", position } : undefined;
	}

	let refusal: { code: TextCode; position: number } | undefined;
	return {
		isQuoted: () => quoted,
		put(put: string, at: number): TextCode | undefined {
			if (put === "\n") {
				if (text.trim() !== "") lineBreak ??= at;
				put = " ";
			} else if (lineBreak !== undefined && put.trim() !== "") {
				refusal ??= { code: "text_two_commands", position: lineBreak };
			}
			if (put === '"' || (!quoted && put.startsWith(" "))) refusal ??= endName();
			if (put === '"') quoted = !quoted;
			if (LETTER.test(put)) {
				const script = SCRIPTS.find(({ pattern }) => pattern.test(put))?.name;
				if (!script) return "text_confusable";
				scripts.add(script);
				if (script !== "Latin") {
					strange ??= at;
					if (!LATIN_LOOKS.has(put)) looksLatin = false;
				}
			}
			for (let n = 0; n < put.length; n++) positions.push(at);
			text += put;
			return undefined;
		},
		refusal: () => refusal ?? endName(),
		done(): Normalised {
			const end = positions.length;
			const last = (positions[end - 1] ?? -1) + 1;
			return { kind: "text", text, positionOf: (index) => positions[index] ?? last };
		},
	};
}

function samePosition(index: number): number {
	return index;
}

function refused(code: TextCode, position: number): TextRefusal {
	return { kind: "refused", code, detail: DETAILS[code], position };
}
