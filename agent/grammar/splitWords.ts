// Splits a text into words, quoted names and signs, and lists the words besides topic and values.

import type { TextRefusal } from "#agent/grammar/normaliseText.ts";

/** Holds the words of a text as parallel lists, which saves one object per word. */
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

/** Lists words that change nothing in any place: small words, greetings, politeness. */
const FUNCTION = setOf(
	"a an the this that these those it its it's is are am be been being do does did has have had " +
		"can could would of on in at for to from as about by i me we us you u ya what whats what's " +
		"wat wats which who whos who's where wheres where's how hows how's there here and so just " +
		"still now then currently current live right rn atm today's like going doing looking sitting " +
		"standing any some please pls plz plss thanks thank thx ty hey hi hello yo sup gm gn ok okay " +
		"oh um uh hmm well bro bros ser sir sirs fam anon man mate dude guys guy bot tapeline tell " +
		"show give gimme gib get see know check find pull up wanna want need curious wondering quick " +
		"question collection collections nft nfts project tho though lol lmao ffs asap again quickly " +
		"one's moment im i'm i'd id ive i've let lets let's say teh wut wuts wht hw got gotten r " +
		"latest's yet already even actually exactly really overall btw tbh ngl also anything " +
		"something bout fren frens able possible kindly anyone somebody someone anybody what're " +
		"whatre there's theres that's thats you're youre lemme telling showing giving checking wanted " +
		"they shall state provide display fetch presently nowadays update updates advise inform look " +
		"looks looked seems stand stands sit sits wonder trying regarding concerning re lmk fyi afaik " +
		"fr rly srsly literally basically honestly simply kinda yeah yep cheers tysm tia appreciated " +
		"sorry hola ola oi bonjour namaste howdy greetings heya hiya heyy po opo bruh bruv omg " +
		"lemmeknow collection's project's projects pfp pfps jpeg jpegs hwo waht wath whta hte adn " +
		"whast approximately roughly n precisely specifically generally seriously genuinely dunno " +
		"gotta y'all yall what'd how'd",
);

/** Lists groups of words that change nothing, though some of them would: `if you don't mind`. */
const SMALL_PHRASES = (
	"good morning|good afternoon|good evening|good day|i should like|we should like|so good as|" +
	"so kind as|at present|at the present|these days|as we speak|right this second|" +
	"at this point|by any chance|by chance|out of curiosity|out of interest|if possible|" +
	"if you can|if you could|if you would|if you please|if i may|if you don't mind|" +
	"if you dont mind|do you mind|would you mind|when you can|when possible|" +
	"when you get a chance|when you have a moment|may i ask|may i know|may i see|may i have|" +
	"might i ask|might i know|help me|your help|no rush|no worries|no hurry|real quick|" +
	"much appreciated|many thanks|in advance|very much|thanks a lot|thanks so much|" +
	"thank you so much|appreciate it|i'd appreciate|hi all|hello all|hey all|gm all|" +
	"hi everyone|hello everyone|hey everyone|gm everyone|on your platform|on your system|" +
	"on your site|on your app|in your system|in your database|on the platform|on this platform|" +
	"on this site|on this app|in the app|happen to know|any idea|any clue|was wondering|" +
	"my friend|my dear|my man|my guy|would love to|i'd love to|love to know|to be exact|" +
	"to be precise|to be honest|one more time|one more question|one question|" +
	"one quick question|another question|another quick question|once more|once again|so far|" +
	"thus far|this time|on my end|for my notes|for my own notes|not urgent|or what|or not|" +
	"at all|quick one|just need a number|keep it short|for my newsletter|" +
	"excuse me for asking again|kindly share|please share|pls share|share with me|or nah|or no|" +
	"remind me|teach me|hit me with|fill me in on|run me through|walk me through|" +
	"catch me up on|clue me in on|point me to|read me|bring up|take a look at|i'm after|" +
	"im after|i search|i am searching|i require|when you get the chance|to start|for starters|" +
	"i keep seeing|i don't know|i dont know|not sure|i have no idea|new here|i'm new|im new|" +
	"new to this|as a beginner|if anyone knows|if you know|if so|all in all|by the way|" +
	"first of all|thank you all|dear sir|dear sirs|dear team|tell me whether|can u tell me if|" +
	"can you tell me if|could you tell me if|i am new|thank you friend|is it true that|is it true"
)
	.split("|")
	.map((text) => text.split(" "));
const SMALL_BY_FIRST = Map.groupBy(SMALL_PHRASES, ([first]) => first ?? "");

/** Lists the only words that may be beside a name that asks for something by itself. */
const SHOWING = setOf(
	"show me what whats what's is the a about check pull up see get tell give gimme please pls plz hey gm of on it " +
		"could you can would i want need to from in let us kindly display bring rn now atm currently",
);

/** Lists words that begin a restriction of a name: what follows is no part of the name. */
const NARROWING = setOf("with wearing having in on by for using as");

/**
 * Words that are never left out, not even with a note: they order, deny, set a condition or a
 * bound, compare, count, or name another time or another person.
 */
const DECIDING = setOf(
	"buy sell send bid list sweep dump grab snipe cop swap trade transfer bridge approve stake " +
		"mint burn order orders purchase purchasing buying selling per offer delist cancel stop pause " +
		"resume watch alert notify remind email mail ping follow track monitor long short go not no " +
		"never none neither nor dont doesnt isnt without except excluding unless until if when " +
		"whenever while once before after since than vs versus under over above below between within " +
		"near around least most more less fewer max min maximum minimum top worst first last next " +
		"previous past ago was were will gonna going-to should may might must ever yesterday tomorrow " +
		"tonight weekend year years quarter lifetime ath atl all-time half twice double other others " +
		"another else my mine our ours your yours their one two three four five six seven eight nine " +
		"ten eleven twelve twenty thirty fifty hundred thousand million dozen couple few several many " +
		"much percent average avg median mean total all every each only both or instead rather change " +
		"changed up down gain loss profit predict prediction january february march april june july " +
		"august september october november december monday tuesday wednesday thursday friday saturday " +
		"sunday think thoughts recommend reckon believe feel opinion pay paid paying pays aped bought " +
		"sniped copped minter spend spent value why ytd mtd minus plus besides aside apart beyond " +
		"outside inside higher lower cheaper",
);

/** Lists words that join two parts of one name: `world of women`. */
const LINKING = setOf("of the and & n");

/** Lists words that may come before a length of time. */
const BEFORE_TIME = setOf("last past this the in over for during within of preceding trailing");

/** Lists words that ask for persons. */
const PERSONS = setOf("who whos who's whose");

export const closedWords = {
	FUNCTION,
	SHOWING,
	NARROWING,
	LINKING,
	BEFORE_TIME,
	PERSONS,
} as const;

const TYPO_MIN = 5;
const KEYS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/**
 * Splits a normalised text into words, quoted names and signs.
 *
 * Refuses numbers that people read in different ways (`1,000`, `1 000`, `1.000`) in any place, and
 * separators between two commands.
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
			const raw = text.slice(at, end);
			add(words, raw, at, code < 0x60 || code > 0x2000 ? kindOf(text, at, raw) : "word");
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
const MENTION = /^@[A-Za-z]/;
/** Matches what separates two parts of a sentence where blanks are around it. */
const DASHES = /^[-+\u2013\u2014/~.:*]+$/;
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

function kindOf(text: string, at: number, raw: string): WordKind {
	if (DASHES.test(raw)) return "sign";
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

/** Returns the places of groups of words that change nothing: politeness, and who is spoken to. */
export function smallPlaces({ low, isApart }: Words): Set<number> {
	const places = new Set<number>();
	for (let at = 0; at < low.length; at++) {
		for (const phrase of SMALL_BY_FIRST.get(low[at] ?? "") ?? []) {
			const stands = phrase.every((word, n) => low[at + n] === word && !(n > 0 && isApart[at + n]));
			if (stands) for (const [n] of phrase.entries()) places.add(at + n);
		}
	}
	return places;
}

/** Returns true for a word that changes nothing in a question. */
export function isFunctionWord(low: string): boolean {
	return FUNCTION.has(low);
}

/** Returns true for a word that no answer may leave out. */
export function isDeciding(low: string): boolean {
	return DECIDING.has(low) || /\d|[%$€£#]|.(?:est|n't)$/.test(low);
}

/**
 * Returns true for a likely typing error in a word of five letters and more: one letter missing,
 * added, swapped with its neighbour, or replaced by a key beside it. `seals` is not `sells`.
 */
export function isMistyped(typed: string, word: string): boolean {
	if (typed.length < TYPO_MIN || !isOneLetterOff(typed, word)) return false;
	if (typed.length !== word.length) return true;
	const at = [...typed].findIndex((letter, n) => letter !== word[n]);
	const isSwapped = typed[at] === word[at + 1] && typed[at + 1] === word[at];
	const areVowels = /^[aeiou]{2}$/.test(`${typed[at]}${word[at]}`);
	return isSwapped || areVowels || areNeighbours(typed[at] ?? "", word[at] ?? "");
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
	if (longer === 1) return typed.slice(same + 1) === word.slice(same);
	if (longer === -1) return typed.slice(same) === word.slice(same + 1);
	if (typed.slice(same + 1) === word.slice(same + 1)) return true;
	const isSwapped = typed[same] === word[same + 1] && typed[same + 1] === word[same];
	return isSwapped && typed.slice(same + 2) === word.slice(same + 2);
}

function areNeighbours(one: string, other: string): boolean {
	const [a, b] = [one, other].map((letter) => {
		const row = KEYS.findIndex((keys) => keys.includes(letter));
		return { row, column: KEYS[row]?.indexOf(letter) ?? 0 };
	});
	if (!a || !b || a.row < 0 || b.row < 0) return false;
	return Math.abs(a.row - b.row) <= 1 && Math.abs(a.column - b.column) <= 1;
}

/** Returns words that stand between blanks as a set. */
export function setOf(words: string): ReadonlySet<string> {
	return new Set(words.split(" "));
}
