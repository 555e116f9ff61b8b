// Splits a text into words, quoted names and signs.

import type { TextRefusal } from "#agent/grammar/normaliseText.ts";

/** The words of a text as parallel lists, which saves one object per word. */
export type Words = {
	kind: "words";
	/** As typed; a quoted name without its quotes. */
	raw: string[];
	/** In lower case. */
	low: string[];
	starts: number[];
	kinds: WordKind[];
	/** True for a word after a removed sign: no name continues across it. */
	isApart: boolean[];
	hasSigns: boolean;
	/** Places of words that are written like a name: `floor of Quiet Lanterns`. */
	proper?: ReadonlySet<number>;
};

/** `sign`: standalone punctuation, an emoji, or who is spoken to (`@bot`). */
export type WordKind = "word" | "quoted" | "sign";

const QUOTED_LENGTH_MAX = 128;

/**
 * Splits a normalised text into words, quoted names and signs.
 *
 * Refuses numbers that people read in different ways (`1,000`, `1 000`, `1.000`), wherever they
 * stand, and separators between two commands.
 */
export function splitWords(text: string): Words | TextRefusal {
	const words = noWords();
	let at = 0;
	while (at < text.length) {
		const code = text.charCodeAt(at);
		if (code === BLANK) at += 1;
		else if (code === QUOTE) {
			const end = text.indexOf('"', at + 1);
			const name =
				end < 0
					? ""
					: text
							.slice(at + 1, end)
							.replace(/ +/g, " ")
							.trim();
			if (name === "" || name.length > QUOTED_LENGTH_MAX) return badQuotes(at, end);
			add(words, name, at, "quoted");
			at = end + 1;
		} else if (isSign(code)) {
			if (code === COMMA && isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1))) {
				return separated(at);
			}
			add(words, text.charAt(at), at, "sign");
			at += 1;
		} else {
			let end = at + 1;
			while (end < text.length && !endsWord(text.charCodeAt(end))) end += 1;
			const next = end;
			while (end > at + 1 && isFinalSign(text.charCodeAt(end - 1))) end -= 1;
			add(words, text.slice(at, end), at, code === AT || code > 0x2000 ? kindOf(text, at) : "word");
			for (; end < next; end++) add(words, text.charAt(end), end, "sign");
			at = next;
		}
	}
	return numberFlaw(words) ?? words;
}

/** Removes the signs; the word after each gets `isApart`. */
export function withoutSigns(words: Words): Words {
	if (!words.hasSigns) return words;
	const kept = noWords();
	for (const [at, kind] of words.kinds.entries()) {
		if (kind === "sign") continue;
		add(kept, words.raw[at] ?? "", words.starts[at] ?? 0, kind);
		kept.isApart[kept.isApart.length - 1] = words.kinds[at - 1] === "sign";
	}
	return kept;
}

const BLANK = 32;
const QUOTE = 34;
const COMMA = 44;
const AT = 64;
const MENTION = /^@[A-Za-z]/;
const EMOJI = /^\p{RGI_Emoji}/v;

function noWords(): Words {
	const hasSigns = false;
	return { kind: "words", raw: [], low: [], starts: [], kinds: [], isApart: [], hasSigns };
}

function add(words: Words, raw: string, start: number, kind: WordKind): void {
	words.raw.push(raw);
	words.low.push(raw.toLowerCase());
	words.starts.push(start);
	words.kinds.push(kind);
	words.isApart.push(false);
	if (kind === "sign") words.hasSigns = true;
}

function kindOf(text: string, at: number): WordKind {
	const isSaidTo = MENTION.test(text.slice(at, at + 2));
	return isSaidTo || EMOJI.test(text.slice(at, at + 16)) ? "sign" : "word";
}

function endsWord(code: number): boolean {
	return code === BLANK || code === QUOTE || isSign(code);
}

/** Returns true for `,` `;` `!` `?` `(` `)` `|`, which separate words everywhere. */
function isSign(code: number): boolean {
	if (code > 124) return false;
	return (
		code === COMMA || code === 59 || code === 33 || code === 63 || code === 124 || isBracket(code)
	);
}

function isBracket(code: number): boolean {
	return code === 40 || code === 41;
}

/** Returns true for `.` and `:`, which belong to a word unless they end it. */
function isFinalSign(code: number): boolean {
	return code === 46 || code === 58;
}

function isDigit(code: number): boolean {
	return code >= 48 && code <= 57;
}

function numberFlaw({ raw, starts, kinds }: Words): TextRefusal | undefined {
	for (let at = 0; at < raw.length; at++) {
		if (kinds[at] !== "word") {
			if (kinds[at] === "sign" && raw[at] === ";" && at > 0 && kinds.indexOf("word", at) > 0)
				return several(starts[at]);
			continue;
		}
		const word = raw[at] ?? "";
		const first = word.charCodeAt(0);
		if (!isDigit(first) && !(first <= 36 && isDigit(word.charCodeAt(1)))) continue;
		if (SEPARATED.test(word)) return separated((starts[at] ?? 0) + word.search(/[_'.]/));
		const next = raw[at + 1];
		if (next && kinds[at + 1] === "word" && GROUP.test(next) && /^\$?\d{1,3}$/.test(word)) {
			return separated(starts[at + 1] ?? 0);
		}
	}
	return undefined;
}

/** `1.000` is one for half of the world, and a thousand for the other. */
const SEPARATED = /^[#$]?(?:\d+(?:[_']\d+(?:\.\d+)?|\.\d+\.\d[\d.]*)|[1-9]\d{0,2}\.000(?!\d))/;
const GROUP = /^\d{3}(?:\.\d+)?$/;

function separated(position: number): TextRefusal {
	const detail = "Numbers are written without separators, with a dot before decimals: 1000.5.";
	return { kind: "refused", code: "text_thousands_separator", detail, position };
}

function several(position = 0): TextRefusal {
	const detail = "This looks like two commands. Send one at a time.";
	return { kind: "refused", code: "text_two_commands", detail, position };
}

function badQuotes(position: number, end: number): TextRefusal {
	const detail =
		end < 0
			? "A quotation mark is not closed."
			: `A name in quotes has 1 to ${QUOTED_LENGTH_MAX} characters.`;
	return { kind: "refused", code: "slot_invalid", detail, position };
}
