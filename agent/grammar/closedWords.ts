// Lists the words that a question may hold besides its topic, name and values.

/** Words that change nothing wherever they stand: small words, greetings, politeness. */
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
		"something bout fren frens able possible kindly anyone somebody someone anybody",
);

/** The only words that may stand beside a name that asks for something by itself. */
const SHOWING = setOf(
	"show me what whats what's is the a about check pull up see get tell give gimme please pls plz hey gm of on it",
);

/** Words that begin something which narrows a name: what follows is no part of it. */
const NARROWING = setOf("with wearing having in on by for using as");

/**
 * Words that are never left out, not even with a note: they order, deny, set a condition or a
 * bound, compare, count, or name another time or another person.
 */
const DECIDING = setOf(
	"buy sell send bid list sweep dump grab snipe cop swap trade transfer bridge approve stake " +
		"mint burn order orders purchase purchasing buying selling per offer delist cancel stop " +
		"pause resume watch alert notify remind email mail ping follow track monitor long short go " +
		"not no never none neither nor dont don't doesnt doesn't isnt isn't without except excluding " +
		"unless until if when whenever while once before after since than vs versus under over above " +
		"below between within near around least most more less fewer max min maximum minimum top " +
		"highest lowest biggest smallest cheapest best worst rarest first last next previous past " +
		"ago was were will won't gonna going-to should may might must ever yesterday tomorrow " +
		"tonight weekend year years quarter lifetime ath atl all-time half twice double other others " +
		"another else my mine our ours your yours their one two three four five six seven eight nine " +
		"ten eleven twelve twenty thirty fifty hundred thousand million dozen couple few several " +
		"many much percent average avg median mean total all every each only both or instead rather " +
		"change changed up down gain loss profit predict prediction january february march april " +
		"june july august september october november december monday tuesday wednesday thursday " +
		"friday saturday sunday think thoughts recommend reckon believe feel opinion pay paid paying " +
		"pays aped bought sniped copped minter spend spent value",
);

/** Words that join two parts of one name: `world of women`. */
const LINKING = setOf("of the and &");

/** Words that may stand in front of a length of time. */
const BEFORE_TIME = setOf("last past this the in over for during within of");

export const closedWords = {
	FUNCTION,
	SHOWING,
	NARROWING,
	LINKING,
	BEFORE_TIME,
} as const;

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
	return isSwapped || areNeighbours(typed[at] ?? "", word[at] ?? "");
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

const TYPO_MIN = 5;
const KEYS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

function areNeighbours(one: string, other: string): boolean {
	const [a, b] = [one, other].map((letter) => {
		const row = KEYS.findIndex((keys) => keys.includes(letter));
		return { row, column: KEYS[row]?.indexOf(letter) ?? 0 };
	});
	if (!a || !b || a.row < 0 || b.row < 0) return false;
	return Math.abs(a.row - b.row) <= 1 && Math.abs(a.column - b.column) <= 1;
}

function setOf(words: string): ReadonlySet<string> {
	return new Set(words.split(" "));
}
