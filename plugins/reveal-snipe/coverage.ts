// Counts the revealed tokens of a collection, by comparing them with what some showed before.

import type { RevealIndex, ShownToken } from "#plugins/market-index/contract.ts";
import { COVERED_PERCENT } from "#plugins/reveal-snipe/limits.ts";
import {
	commonPlaceOf,
	PICTURE,
	type Print,
	printOf,
	tellingOf,
} from "#plugins/reveal-snipe/prints.ts";

/** A token of which is known what it shows; null: it certainly has no document. */
type TokenShown = Awaited<ReturnType<RevealIndex["rereadTokens"]>>["read"][number];

/** The tokens of one reveal that were read so far. */
export type Coverage = {
	/** Adds what tokens showed before: a token that still shows it is not revealed. */
	compareWith(tokens: readonly TokenShown[]): void;
	/** Takes in what tokens show; of each the newest counts. */
	add(tokens: readonly TokenShown[]): void;
	/** Returns whether enough tokens are revealed for ranks to be useful. */
	isCovered(tokens: number): boolean;
	/** Returns the revealed tokens, and those that were read and are still hidden. */
	out(): bigint[];
	hidden(): bigint[];
};

type HiddenLook = {
	/** What sampled tokens showed before the reveal. Empty: all traits of a token count as new. */
	baseline: readonly Print[];
	/** Traits that most of them had when they were last seen hidden. */
	hiddenTraits: ShownToken["traits"];
};

/** The factor by which more tokens may be unchanged than chance alone would leave. */
const CHANCE_TIMES = 1.5;

/** Judges one token: what it newly says; null: nothing. */
type Judge = (print: Print) => string | null;

/**
 * Makes the count of one reveal. A token counts as revealed if it shows something new, in a trait
 * that was alike in all tokens before, or no longer shows what all showed. If more than half of
 * such tokens show the same, that is another placeholder: they are still hidden.
 */
export function createCoverage(hiddenLook: HiddenLook): Coverage {
	const judge = judgeBy(hiddenLook);
	const news = new Map<bigint, string | null>();
	const before = new Map<bigint, string | null>();
	/** Tokens that show what they showed before. */
	const same = new Set<bigint>();
	const counts = new Map<string, number>();
	let told = 0;

	function count(one: string | null | undefined, by: 1 | -1): void {
		if (one === null || one === undefined) return;
		told += by;
		counts.set(one, (counts.get(one) ?? 0) + by);
	}

	/** Returns what most say alike, and how many they are; null where nothing is so common. */
	function shared(): { news: string; tokens: number } | null {
		for (const [one, tokens] of counts) if (tokens * 2 > told) return { news: one, tokens };
		return null;
	}

	/** Says whether no more tokens stayed the same than chance leaves as they were. */
	function isChance(): boolean {
		let squares = 0;
		for (const tokens of counts.values()) squares += (tokens / told) ** 2;
		return told > 0 && same.size <= CHANCE_TIMES * squares * (told + same.size);
	}

	function outNow(): Set<bigint> {
		const common = told > 1 ? shared() : null;
		const isOut = ([, own]: [bigint, string | null]) => own !== null && own !== common?.news;
		const out = [...news].filter(isOut).map(([tokenId]) => tokenId);
		return new Set(isChance() ? [...out, ...same] : out);
	}

	return {
		compareWith(tokens) {
			for (const { tokenId, shown } of tokens) {
				before.set(tokenId, shown && judge(printOf({ tokenId, uri: null, shown })));
			}
		},
		add(tokens) {
			for (const { tokenId, shown } of tokens) {
				const said = shown && judge(printOf({ tokenId, uri: null, shown }));
				const isSame = said !== null && before.get(tokenId) === said;
				if (isSame) same.add(tokenId);
				else same.delete(tokenId);
				const own = isSame ? null : said;
				count(news.get(tokenId), -1);
				count(own, 1);
				news.set(tokenId, own);
			}
		},
		isCovered(tokens) {
			const common = told > 1 ? shared() : null;
			const out = told - (common?.tokens ?? 0) + (isChance() ? same.size : 0);
			return told > 0 && out * 100 >= tokens * COVERED_PERCENT;
		},
		out: () => [...outNow()],
		hidden() {
			const out = outNow();
			return [...news.keys()].filter((tokenId) => !out.has(tokenId));
		},
	};
}

function judgeBy({ baseline, hiddenTraits }: HiddenLook): Judge {
	// Without a baseline nobody knows which picture all had.
	const telling = baseline.length === 0 ? new Set([PICTURE]) : tellingOf(baseline);
	const common = baseline[commonPlaceOf(baseline)];
	const sealed = printOf({
		...{ tokenId: 0n, uri: null },
		shown: { imageUrl: null, traits: hiddenTraits },
	});
	const before = baseline.map((print) => saidOf(print, telling));
	const commonSaid = common ? saidOf(common, telling) : [];
	// What one token said alone was a preview, and others may come out with the same.
	const times = Map.groupBy(before.flat(), (one) => one);
	const repeated = [...times].flatMap(([one, all]) => (all.length > 1 ? [one] : []));
	const known = new Set([...commonSaid, ...repeated, ...saidOf(sealed, telling)]);
	return (print) => {
		const said = saidOf(print, telling);
		const fresh = said.filter((one) => !known.has(one));
		const numbers = fresh.filter((one) => isNumber(print, one));
		// One number is nothing: hidden tokens are numbered too.
		const told = numbers.length === 1 ? fresh.filter((one) => one !== numbers[0]) : fresh;
		if (told.length > 0) return told.sort().join();
		const kept = said.filter((one) => commonSaid.includes(one));
		const isLess = print.isThere && said.length - fresh.length === kept.length;
		return isLess && kept.length < commonSaid.length ? `without ${kept.sort().join()}` : null;
	};
}

/** Returns what a token shows, apart from the traits in which tokens differed before. */
function saidOf({ traits, picture }: Print, telling: ReadonlySet<string>): string[] {
	const said = Object.entries(traits).flatMap(([type, { value }]) => {
		return telling.has(type) ? [] : [`${type}:${value}`];
	});
	const hasPicture = picture !== null && !telling.has(PICTURE);
	return hasPicture ? [...said, `${PICTURE}:${picture}`] : said;
}

function isNumber({ traits }: Print, said: string): boolean {
	return Object.entries(traits).some(([type, { value, isNumber: isOne }]) => {
		return isOne && said === `${type}:${value}`;
	});
}
