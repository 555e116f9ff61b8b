// Decides which words a question may contain besides its form, and which are misspelled.

import type { Words } from "#agent/grammar/splitWords.ts";

/** The part of a text that asks something: from its first word to before its last. */
export type Range = { from: number; to: number };

/**
 * Returns the range without the words that people put around a question. For commands that only
 * read.
 */
export function withoutFillers(
	words: Words,
	range: Range,
	{ isHead, isPatient }: { isHead(low: string): boolean; isPatient: boolean },
): Range {
	let { from, to } = range;
	while (from < to && words.kinds[from] !== "quoted") {
		const low = words.low[from] ?? "";
		const isArticle = BEFORE_HEAD.has(low) && isHead(words.low[from + 1] ?? "");
		const asking = isArticle || BEFORE.has(low) ? 1 : askingWords(words, from, isHead);
		if (asking === 0) break;
		from += asking;
	}
	while (to > from && words.kinds[to - 1] !== "quoted") {
		const phrase = AFTER_PHRASES.find((one) => endsWith(words, from, to, one));
		if (phrase) to -= phrase.length;
		else if (AFTER.has(words.low[to - 1] ?? "")) to -= 1;
		else if (isPatient && TIMES.has(words.low[to - 1] ?? "")) to -= 1;
		else break;
	}
	return { from, to };
}

/** Counts the words that introduce the question: `how's the`, `how low is the`; 0 where none do. */
function askingWords({ low }: Words, from: number, isHead: (low: string) => boolean): number {
	const phrase = BEFORE_PHRASES.find((one) => one.every((word, n) => low[from + n] === word));
	if (!phrase) return 0;
	const next = from + phrase.length;
	const after = BEFORE_HEAD.has(low[next] ?? "") ? next + 1 : next;
	return isHead(low[after] ?? "") ? after - from : 0;
}

/**
 * Returns true for a word that cannot begin a name at the start of a text: `sweep the kiln folk
 * floor` does not ask for the floor of "sweep the kiln folk".
 */
export function isFiller(low: string): boolean {
	return BEFORE.has(low) || NO_NAME.has(low);
}

/**
 * Returns true for a word that may be left out anywhere outside a name: `doodles trading volume`.
 */
export function isBetween(low: string): boolean {
	return BETWEEN.has(low) || /^(?:\d{1,2}|-+)$/.test(low);
}

/**
 * Returns true for a name that is only a piece of a sentence: `is kiln folk`, `kiln folk of the`.
 */
export function isCutOut(first: string, last: string): boolean {
	return NO_NAME_START.has(first) || NO_NAME_END.has(last) || isEmptyWord(last);
}

/** Returns true for a word that adds nothing to a question and that no name contains. */
export function isEmptyWord(low: string): boolean {
	return BETWEEN.has(low) && !OF_NAMES.has(low);
}

/** Returns true for a word between two names: one question is about one name. */
export function isBetweenNames(low: string): boolean {
	return low === "vs" || low === "versus";
}

/**
 * Returns true where one letter is wrong, missing, added, or swapped with its neighbour. Words of
 * fewer than four letters never match: one letter makes another word of them.
 */
export function isOneLetterOff(typed: string, word: string): boolean {
	const longer = typed.length - word.length;
	if (typed.length < 4 || word.length < 4 || longer > 1 || longer < -1 || typed === word)
		return false;
	let same = 0;
	while (typed[same] === word[same] && same < word.length) same += 1;
	// Faster than a full edit distance: unread text is compared with every word.
	if (longer === 1) return isSameFrom(typed, same + 1, word, same);
	if (longer === -1) return isSameFrom(typed, same, word, same + 1);
	if (isSameFrom(typed, same + 1, word, same + 1)) return true;
	const isSwapped = typed[same] === word[same + 1] && typed[same + 1] === word[same];
	return isSwapped && isSameFrom(typed, same + 2, word, same + 2);
}

/**
 * Returns true for a likely typing error: one letter off, where a wrong letter counts only if its
 * key is next to the right one, or in a long word. `seals` is not `sells`, but `fllor` is `floor`.
 */
export function isMistyped(typed: string, word: string): boolean {
	if (!isOneLetterOff(typed, word)) return false;
	if (typed.length !== word.length || typed.length >= LONG_WORD) return true;
	const at = [...typed].findIndex((letter, n) => letter !== word[n]);
	const isSwapped = typed[at] === word[at + 1] && typed[at + 1] === word[at];
	return isSwapped || areNeighbours(typed[at] ?? "", word[at] ?? "");
}

const LONG_WORD = 8;
const KEYS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

function areNeighbours(one: string, other: string): boolean {
	const [a, b] = [one, other].map((letter) => {
		const row = KEYS.findIndex((keys) => keys.includes(letter));
		return { row, column: KEYS[row]?.indexOf(letter) ?? 0 };
	});
	if (!a || !b || a.row < 0 || b.row < 0) return false;
	return Math.abs(a.row - b.row) <= 1 && Math.abs(a.column - b.column) <= 1;
}

/**
 * Returns true where two texts of equal remaining length end alike. Copies no text: it runs often.
 */
function isSameFrom(one: string, at: number, other: string, otherAt: number): boolean {
	const apart = otherAt - at;
	for (let n = at; n < one.length; n++) {
		if (one.charCodeAt(n) !== other.charCodeAt(n + apart)) return false;
	}
	return true;
}

const BEFORE = new Set(
	(
		"please pls plz plss plzz anyone know knows bot hey hi hello yo gm gn sup ok okay so um hmm well and but also just like " +
		"what whats what's wat wats wut wuts whts waht wht is are was r i'd id i im i'm me we u you can " +
		"could would will want wanna need to know see show give gimme gib tell get check look up at pull " +
		"fetch display let lets let's do does did quick quickly bro ser sir fam anon dude man mate guys " +
		"curious wondering fill someone somebody anybody were would there any anything number where wheres where's"
	).split(" "),
);

const NO_NAME = new Set(
	(
		"how why which when who whose where should does if unless not no never don't dont won't " +
		"lookup sell buy send ape snipe bridge sweep swap trade grab dump flip list bid offer stake approve transfer withdraw deposit"
	).split(" "),
);

/** Dropped only before a word that begins a command, because names begin with "the" as well. */
const BEFORE_HEAD = new Set("the a an current currently latest live total all of".split(" "));

const AFTER = new Set(
	(
		"please pls plz plss plzz thanks thx ty tysm now rn atm currently bro ser sir fam anon dude man mate " +
		"guys lol lmao ffs tho though asap again exactly"
	).split(" "),
);

const BETWEEN = new Set(
	(
		"a an the this that any some one me of for on in is are has have had does do did been be there get " +
		"got to into right now just live exactly actually current latest recent total overall trading " +
		"traded collection collections nft nfts project projects count number amount history chart market " +
		"looking like most so far about up out few couple kinda kind " +
		"going being been chain network check someone me like just also even really currently " +
		"still already yet lately recently anymore getting any"
	).split(" "),
);

/** Returns the usual spelling of a drawn-out word: `flooor` as `floor`, `plzzz` as `plz`. */
export function squeezed(low: string, isWord: (word: string) => boolean): string {
	const [twice, once] = ["$1$1", "$1"].map((letters) => low.replace(/([a-z])\1{2,}/g, letters));
	if (twice === undefined || once === undefined || twice === low) return low;
	return [twice, once].find((word) => isWord(word) || AFTER.has(word) || BEFORE.has(word)) ?? low;
}

/** Words for the present, dropped where a command has no slot for a time. */
const TIMES = new Set("today tonight lately recently yet already anymore still".split(" "));

/** Words of a sentence, with which no name begins or ends unless it is in quotes. */
const INSIDE = "is are was were does do did has have of in with to for from by at";
const NO_NAME_START = new Set(
	`${INSIDE} there if how why when traded history count me people ppl everyone looking called under sweep dump stake sell buy flip check current overall coming going num avg vs versus`.split(
		" ",
	),
);
const NO_NAME_END = new Set(`${INSIDE} the a an and or got looking free many`.split(" "));

/** Words that also end names; numbers are among them. */
const OF_NAMES = new Set(
	"collection collections nft nfts project projects one this that so most out market".split(" "),
);

const BEFORE_PHRASES =
	"how is|how are|how's|hows|how low is|how high is|who is|who's|whos|what would"
		.split("|")
		.map((phrase) => phrase.split(" "));

const AFTER_PHRASES = (
	"right now|at the moment|as of now|for me|thank you|looking like|looking at|sitting at|" +
	"do you know|by the way|these days|this time|is what|is it"
)
	.split("|")
	.map((phrase) => phrase.split(" "));

function endsWith({ low }: Words, from: number, to: number, phrase: string[]): boolean {
	const start = to - phrase.length;
	if (start < from) return false;
	for (let n = phrase.length - 1; n >= 0; n--) if (low[start + n] !== phrase[n]) return false;
	return true;
}
