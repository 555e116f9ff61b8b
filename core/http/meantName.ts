import { editDistance } from "#core/text/editDistance.ts";

/** Longer names are no misspelling, and would only cost time. */
const NAME_LENGTH_MAX = 32;
/** Shorter words are the beginning of too many others. */
const STEM_LENGTH_MIN = 3;

/** Names of the same parameter in other APIs, normalised. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
	limit: ["count", "size", "pagesize", "perpage", "first", "take", "top", "max", "n"],
	cursor: ["next", "page", "pagetoken", "pagekey", "continuation", "nextcursor", "offset", "after"],
	chain: ["network", "blockchain", "chainslug", "chainname"],
	q: ["query", "search", "text", "term", "name", "s"],
	type: ["kind", "event", "eventtype", "types"],
	kind: ["type", "offertype"],
	interval: ["resolution", "timeframe", "granularity", "bucket", "period"],
	window: ["period", "timeframe", "interval", "range"],
	range: ["period", "timeframe", "window", "interval"],
	before: ["end", "until", "to"],
	mode: ["sort", "sortby", "orderby", "order"],
	tokenId: ["token", "id", "identifier"],
	state: ["status", "stage"],
};

/**
 * Returns the parameter that an unknown name probably means: another spelling, the name in other
 * APIs, a typing error, or its beginning. Undefined where none is similar.
 */
export function meantName(name: string, known: readonly string[]): string | undefined {
	const wanted = plain(name);
	if (wanted === "" || name.length > NAME_LENGTH_MAX) return undefined;
	return (
		known.find((one) => plain(one) === wanted) ??
		known.find((one) => ELSEWHERE[one]?.includes(wanted)) ??
		nearest(wanted, known) ??
		known.find((one) => haveOneStem(plain(one), wanted))
	);
}

function nearest(wanted: string, known: readonly string[]): string | undefined {
	let best: { name: string; distance: number } | undefined;
	for (const name of known) {
		const distance = editDistance(wanted, plain(name));
		if (distance <= slipsIn(name) && distance < (best?.distance ?? Infinity)) {
			best = { name, distance };
		}
	}
	return best?.name;
}

/**
 * Returns how many wrong letters are allowed. A word of one or two letters would match every other
 * one.
 */
function slipsIn({ length }: string): number {
	if (length <= 2) return 0;
	return length <= 5 ? 1 : 2;
}

function haveOneStem(one: string, other: string): boolean {
	const [short, long] = one.length < other.length ? [one, other] : [other, one];
	return short.length >= STEM_LENGTH_MIN && long.startsWith(short);
}

/** Normalises a name: `token_id`, `token-id` and `TokenId` are one word. */
function plain(name: string): string {
	return name.toLowerCase().replace(/[\s_.\-[\]]/g, "");
}
