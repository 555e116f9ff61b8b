// Keeps what sampled tokens showed as fingerprints, and says what changed since.

import { createHash } from "node:crypto";
import type { ShownToken } from "#plugins/market-index/contract.ts";

/** Holds what one token showed, in digests. */
export type Print = {
	tokenId: string;
	/** Holds the digest of the token's URI; null where the contract returned none. */
	uri: string | null;
	/** Holds the digest of its picture's address; null where it shows no picture. */
	picture: string | null;
	/** Values by the type of a trait. Traits that are declared as numbers or dates are left out. */
	traits: Readonly<Record<string, { value: string; isNumber: boolean }>>;
	/** Says whether the token has a document. */
	isThere: boolean;
};

/**
 * Says how tokens changed. `out`: most of them now differ in something in which they did not
 * before. `rerolled`: they differed before too, and most of each was replaced: certain only where
 * it stays so, since some contracts change their metadata with each block.
 */
export type Change = "same" | "out" | "rerolled";

type Pair = { before: Print; now: Print };

const NO_URI: Shown = { imageUrl: null, traits: null };
type Shown = Pick<ShownToken, "imageUrl" | "traits">;

/** The name of the picture among the types of traits; no digest is as short. */
export const PICTURE = "picture";
const DIGEST_LENGTH = 32;
const NOT_TEXT = new Set(["number", "boost_number", "boost_percentage", "date"]);
const NUMBER = /^[#\s]*-?[\d.,]+\s*%?$/;

/** Returns the fingerprint of a token; `shown` is null where it has no document. */
export function printOf(given: {
	tokenId: bigint;
	/** The token's URI; empty or null: the contract returns none. */
	uri: string | null;
	shown: Shown | null;
}): Print {
	const { imageUrl, traits } = given.shown ?? NO_URI;
	const values = new Map<string, string[]>();
	for (const { type, value, displayType } of traits ?? []) {
		if (displayType && NOT_TEXT.has(displayType)) continue;
		values.set(type, [...(values.get(type) ?? []), value]);
	}
	return {
		tokenId: String(given.tokenId),
		uri: given.uri ? digestOf(given.uri) : null,
		picture: imageUrl === null ? null : shortDigestOf(imageUrl),
		traits: Object.fromEntries(
			[...values].map(([type, all]) => {
				const value = shortDigestOf(JSON.stringify(all.sort()));
				return [shortDigestOf(type), { value, isNumber: all.every((one) => NUMBER.test(one)) }];
			}),
		),
		isThere: given.shown !== null,
	};
}

/**
 * Compares two checks by the tokens that both read. Only new traits count, and never removed ones:
 * a reveal means that most tokens show something new, in which they differ. So a moved base URI,
 * another shared placeholder, or a picture that changes with each block is no reveal.
 */
export function changeOf(before: readonly Print[], now: readonly Print[]): Change {
	const pairs = pairsOf(before, now);
	if (pairs.length < 2) return "same";
	const telling = tellingOf(pairs.map((pair) => pair.before));
	const fresh = pairs.map((pair) => freshOf(pair, telling));
	if (isNews(fresh)) return "out";
	const all = pairs.map((pair, index) => [...(fresh[index] ?? []), ...rerolledOf(pair, telling)]);
	return isNews(all) ? "rerolled" : "same";
}

/**
 * Says whether most tokens show something else than before, and are alike: or show again what they
 * showed before a reveal.
 */
export function isHiddenAgain(
	{ baseline, shown }: { baseline: readonly Print[]; shown: readonly Print[] },
	now: readonly Print[],
): boolean {
	// Tokens that had not come out yet, or were not readable then, cannot go back.
	const out = outOf(baseline, shown);
	const pairs = pairsOf(out.length > 0 ? out : shown, now);
	const changed = pairs.filter((pair) => contentOf(pair.before) !== contentOf(pair.now));
	if (changed.length * 2 <= pairs.length) return false;
	const changedNow = changed.map((pair) => pair.now);
	const back = changed.length - outOf(baseline, changedNow).length;
	return isAlike(now) || back * 2 > pairs.length;
}

/** Returns whether tokens show the same, except for a few that were revealed before the others. */
export function isAlike(prints: readonly Print[]): boolean {
	return prints.length >= 2 && !isSpread(prints.map(contentOf));
}

/** Counts the tokens that show what they showed before. */
export function countUnchanged(before: readonly Print[], now: readonly Print[]): number {
	const pairs = pairsOf(before, now);
	return pairs.filter((pair) => contentOf(pair.before) === contentOf(pair.now)).length;
}

/**
 * Returns prints, each replaced by that of a later check if there is one, in the order of the ids.
 */
export function mergePrints(before: readonly Print[], now: readonly Print[]): Print[] {
	const all = new Map([...before, ...now].map((print) => [print.tokenId, print]));
	return [...all.values()];
}

/** Returns the tokens that show something else than before. */
export function outOf(before: readonly Print[], now: readonly Print[]): Print[] {
	const known = new Map(before.map((print) => [print.tokenId, contentOf(print)]));
	return now.filter((print) => known.get(print.tokenId) !== contentOf(print));
}

/** Returns the place of a token that shows what most show. */
export function commonPlaceOf(prints: readonly Print[]): number {
	const contents = prints.map(contentOf);
	const groups = [...Map.groupBy(contents.keys(), (place) => contents[place]).values()];
	const [most = []] = groups.sort((a, b) => b.length - a.length);
	return most[0] ?? 0;
}

/** Says whether most tokens have another URI than before. */
export function haveMoved(before: readonly Print[], now: readonly Print[]): boolean {
	const pairs = pairsOf(before, now);
	return pairs.filter((pair) => pair.before.uri !== pair.now.uri).length * 2 > pairs.length;
}

/** Returns a digest of what tokens show, wherever their documents are. */
export function contentDigestOf(prints: readonly Print[]): string {
	return digestOf(JSON.stringify(prints.map(contentOf)));
}

/** Returns the SHA-256 in hex. */
export function digestOf(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

/** Returns a text that is equal where two tokens show the same. */
function contentOf({ picture, traits, isThere }: Print): string {
	const pairs = Object.entries(traits).map(([type, { value }]) => [type, value]);
	return JSON.stringify([isThere, picture, pairs.sort()]);
}

function pairsOf(before: readonly Print[], now: readonly Print[]): Pair[] {
	const known = new Map(before.map((print) => [print.tokenId, print]));
	return now.flatMap((print) => {
		const earlier = known.get(print.tokenId);
		return earlier ? [{ before: earlier, now: print }] : [];
	});
}

/** Returns the types of traits in which tokens already differed; `PICTURE` is the picture. */
export function tellingOf(prints: readonly Print[]): Set<string> {
	const values = new Map<string, string[]>();
	for (const { picture, traits } of prints) {
		const own = Object.entries(traits).map(([type, { value }]) => [type, value] as const);
		if (picture !== null) own.push([PICTURE, picture]);
		for (const [type, value] of own) values.set(type, [...(values.get(type) ?? []), value]);
	}
	const common = [...values].filter(([, all]) => all.length * 2 > prints.length);
	return new Set(common.filter(([, all]) => isSpread(all)).map(([type]) => type));
}

/** Says whether a quarter of the values, or more, are others than the most frequent one. */
function isSpread(values: readonly string[]): boolean {
	const counts = [...Map.groupBy(values, (value) => value).values()].map((same) => same.length);
	return (values.length - Math.max(0, ...counts)) * 4 >= values.length;
}

/**
 * Returns the new traits of a token, of types in which tokens did not differ before. A single
 * number does not count, whatever is beside it: hidden tokens are numbered too.
 */
function freshOf({ before, now }: Pair, telling: ReadonlySet<string>): string[] {
	const fresh = Object.entries(now.traits).filter(([type, { value }]) => {
		return !telling.has(type) && before.traits[type]?.value !== value;
	});
	const numbers = fresh.filter(([, { isNumber }]) => isNumber);
	const told = numbers.length === 1 ? fresh.filter((one) => !numbers.includes(one)) : fresh;
	const news = told.map(([type, { value }]) => `${type}:${value}`);
	const { picture } = now;
	const isNewPicture = picture !== null && picture !== before.picture;
	return isNewPicture && !telling.has(PICTURE) ? [...news, `${PICTURE}:${picture}`] : news;
}

/**
 * Returns the new traits of a token, of types in which tokens differed before; nothing where it
 * kept more than it changed. Ages and levels are numbers, and grow by themselves.
 */
function rerolledOf({ before, now }: Pair, telling: ReadonlySet<string>): string[] {
	const texts = Object.entries(before.traits).filter(([, { isNumber }]) => !isNumber);
	const kept = texts.filter(([type, { value }]) => now.traits[type]?.value === value);
	if (kept.length > 0 && kept.length * 2 >= texts.length) return [];
	return Object.entries(now.traits).flatMap(([type, { value, isNumber }]) => {
		const isChanged = telling.has(type) && !isNumber && before.traits[type]?.value !== value;
		return isChanged ? [`${type}:${value}`] : [];
	});
}

/**
 * Says whether most tokens say something new, in which they differ: all but one that say the same
 * have another placeholder, and the one is a preview.
 */
function isNews(news: readonly (readonly string[])[]): boolean {
	const told = news.filter((own) => own.length > 0).map((own) => [...own].sort().join());
	return told.length * 2 > news.length && isSpread(told);
}

function shortDigestOf(text: string): string {
	return digestOf(text).slice(0, DIGEST_LENGTH);
}
