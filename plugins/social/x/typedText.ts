import { TEXT_CHARS_MAX } from "#plugins/social/limits.ts";

export type TypedTerms = {
	/** What of the text X shows, in code points; undefined where X does not say. */
	range?: readonly [number, number] | undefined;
	/** The range refers to this text, not to a shorter form of it. */
	isWhole: boolean;
	isReply: boolean;
};

/**
 * Returns the part of a text that its author typed. X puts names in front of a reply; where it does
 * not say how many, all names in front count as put there: an accidental mention must not become a
 * command. Behind the shown part only X's own links are left out, because X and its clients count
 * escaped characters in different ways, and a command that lost its end would be another one.
 */
export function typedText(text: string, { range: shown, isWhole, isReply }: TypedTerms): string {
	const characters = [...text.slice(0, 4 * TEXT_CHARS_MAX)];
	const [start, end] = [shown?.[0] ?? 0, isWhole ? shown?.[1] : undefined];
	const isEnd = end !== undefined && OWN_LINKS.test(characters.slice(end).join(""));
	const typed = characters.slice(start, isEnd ? end : undefined).join("");
	const own = shown === undefined && isReply ? typed.replace(NAMES_IN_FRONT, "") : typed;
	// PostgreSQL stores neither the character NUL nor half a surrogate pair.
	return trimmed(unescaped(own).replaceAll("\u0000", "\ufffd").toWellFormed());
}

/** Removes blanks at both ends; what cannot be seen stays, and the grammar refuses it. */
export function trimmed(text: string): string {
	return text.replace(BLANKS_AT_ENDS, "");
}

/** Whitespace, but not the zero-width U+FEFF, which `\s` and `trim` take for a blank. */
export const BLANK = "[^\\S\\ufeff]";
const BLANKS_AT_ENDS = new RegExp(`^${BLANK}+|${BLANK}+$`, "gu");
/** Names in any length: old accounts have some that are longer than X allows today. */
const NAMES_IN_FRONT = /^(?:\s*[@＠]\w+)+/u;
/** Links to what is quoted or attached. */
const OWN_LINKS = /^(?:\s*https:\/\/t\.co\/\w{1,30})*\s*$/u;

/** Unescapes the three characters that X escapes in posts, once; escapes that were typed stay. */
function unescaped(text: string): string {
	return text.replace(/&(lt|gt|amp);/g, (_, name: string) => {
		if (name === "lt") return "<";
		return name === "gt" ? ">" : "&";
	});
}
