// Ranks a collection's tokens by the rarity of their traits (OpenRarity).

import {
	isTextTrait,
	normaliseTrait,
	type RankedTrait,
	traitCountName,
} from "#plugins/market-index/rank/scoreToken.ts";

/** Holds the traits of tokens as integers. Each number is for a value of one trait name. */
type InternedTraits = {
	/** Token `i` has `values[starts[i]]` to before `values[starts[i + 1]]`, one of a name. */
	starts: Int32Array;
	values: Int32Array;
	/** The name of each value, by number. */
	nameOf: readonly number[];
	/** Numbers of tokens with each value, and with each name. */
	valueCounts: readonly number[];
	nameCounts: readonly number[];
};

type RankedToken<Id> = { id: Id; score: number; rank: number };

type Value = {
	id: number;
	/** The count of traits that it adds: 1, or 0 for `none` and the empty text. */
	says: number;
};

type Name = {
	id: number;
	/**
	 * The value that a token last had, and its place: one before the present token's start is another
	 * token's.
	 */
	last: Value;
	place: number;
	bySpelling: Map<string, Value>;
};

const NOTHING: Value = { id: -1, says: 0 };

/** Scores closer than this, relative to the larger one, are equal. */
const SAME_SCORE = 1e-9;

/**
 * Ranks tokens by OpenRarity (open-rarity f2bc4d8b): information content of a token's traits, and
 * of those it lacks, over the collection's entropy. Tokens with more unique traits come first, then
 * those with a higher score; equal scores share a rank and the next is skipped (1, 2, 2, 4). Rarest
 * first; ties keep their given order.
 *
 * @example
 * const [rarest] = rankTokens([{ id: 7n, traits: [{ type: "Hat", value: "Red" }] }]);
 */
export function rankTokens<Id>(
	tokens: readonly { id: Id; traits: readonly RankedTrait[] }[],
): RankedToken<Id>[] {
	const interned = internTraits(tokens);
	const { scores, uniques } = scoresOf(interned, tokens.length);
	const order = Array.from(tokens.keys()).sort((a, b) => {
		return (uniques[b] ?? 0) - (uniques[a] ?? 0) || (scores[b] ?? 0) - (scores[a] ?? 0);
	});
	const ranked: RankedToken<Id>[] = [];
	let before: RankedToken<Id> | null = null;
	for (let place = 0; place < order.length; place++) {
		const index = order[place] ?? 0;
		const token = tokens[index];
		if (!token) continue;
		const score = scores[index] ?? 0;
		const rank: number = before && isSame(score, before.score) ? before.rank : place + 1;
		before = { id: token.id, score, rank };
		ranked.push(before);
	}
	return ranked;
}

/**
 * Turns texts into numbers, once for each different spelling: the same few hundred texts come a
 * hundred thousand times. Of several traits with one name the last counts, as in OpenRarity.
 */
function internTraits(tokens: readonly { traits: readonly RankedTrait[] }[]): InternedTraits {
	let room = tokens.length;
	for (const { traits } of tokens) room += traits.length;
	const starts = new Int32Array(tokens.length + 1);
	const values = new Int32Array(room);
	const book = createBook();
	const intern = createInterner(book, values);
	let end = 0;
	// By index, here and below: an iterator costs more than the work itself.
	for (let index = 0; index < tokens.length; index++) {
		starts[index] = end;
		end = intern(tokens[index]?.traits ?? [], end);
	}
	starts[tokens.length] = end;
	return { starts, values, ...countOf(book.names, values.subarray(0, end)) };
}

/**
 * Scores tokens, each starting from the score of a token without any trait: the work is one step
 * for each existing trait, and not one for each name.
 */
function scoresOf(interned: InternedTraits, supply: number) {
	const { starts, values, nameOf, valueCounts, nameCounts } = interned;
	const bits = (count: number) => (count === 0 ? 0 : Math.log2(supply / count));
	let entropy = 0;
	const weigh = (count: number) => {
		entropy += (count / supply) * bits(count);
	};
	const lacking = nameCounts.map((count) => bits(supply - count));
	for (const count of valueCounts) weigh(count);
	for (const count of nameCounts) weigh(supply - count);
	let base = 0;
	for (const amount of lacking) base += amount;
	const gains = valueCounts.map((count, value) => {
		return bits(count) - (lacking[nameOf[value] ?? 0] ?? 0);
	});

	const scores = new Float64Array(supply);
	const uniques = new Int32Array(supply);
	for (let index = 0; index < supply; index++) {
		let content = base;
		let unique = 0;
		for (let at = starts[index] ?? 0; at < (starts[index + 1] ?? 0); at++) {
			const value = values[at] ?? 0;
			content += gains[value] ?? 0;
			if (valueCounts[value] === 1) unique++;
		}
		scores[index] = content / (entropy || 1);
		uniques[index] = unique;
	}
	return { scores, uniques };
}

function isSame(a: number, b: number): boolean {
	return a === b || Math.abs(a - b) <= SAME_SCORE * Math.max(Math.abs(a), Math.abs(b));
}

/** Makes a table of names and their values by every spelling. */
function createBook() {
	const bySpelling = new Map<string, Name>();
	// The id of a value's name, by the id of the value.
	const names: number[] = [];
	let nameCount = 0;
	return {
		names,
		nameOf(spelling: string): Name {
			return remembered(bySpelling, spelling, () => {
				return { id: nameCount++, last: NOTHING, place: -1, bySpelling: new Map() };
			});
		},
		valueOf(name: Name, spelling: string): Value {
			return remembered(name.bySpelling, spelling, (text) => {
				return { id: names.push(name.id) - 1, says: text === "" || text === "none" ? 0 : 1 };
			});
		},
	};
}

/**
 * Returns the entry of a spelling, stored by the spelling and by its normalised form, so that all
 * spellings share one.
 */
function remembered<Of>(known: Map<string, Of>, spelling: string, make: (text: string) => Of): Of {
	const text = normaliseTrait(spelling);
	const made = known.get(text) ?? make(text);
	known.set(text, made);
	known.set(spelling, made);
	return made;
}

/** Makes a function that writes the values of one token from a place on, and returns their end. */
function createInterner(book: ReturnType<typeof createBook>, values: Int32Array) {
	const traitCount = book.nameOf(traitCountName);
	// Tokens of a collection state their traits in one order: a guess that saves most look-ups.
	const guesses: { spelling: string; name: Name }[] = [];
	const named = (spelling: string, nth: number): Name => {
		const guess = guesses[nth];
		if (guess?.spelling === spelling) return guess.name;
		const name = book.nameOf(spelling);
		guesses[nth] = { spelling, name };
		return name;
	};
	return (traits: readonly RankedTrait[], start: number): number => {
		let end = start;
		let says = 0;
		for (let nth = 0; nth < traits.length; nth++) {
			const trait = traits[nth];
			if (!trait || !isTextTrait(trait)) continue;
			const name = named(trait.type, nth);
			if (name === traitCount) continue;
			const value = name.bySpelling.get(trait.value) ?? book.valueOf(name, trait.value);
			if (name.place < start) name.place = end++;
			else says -= name.last.says;
			says += value.says;
			name.last = value;
			values[name.place] = value.id;
		}
		const spelling = String(says);
		values[end] = (traitCount.bySpelling.get(spelling) ?? book.valueOf(traitCount, spelling)).id;
		return end + 1;
	};
}

function countOf(nameOf: readonly number[], values: Int32Array) {
	const valueCounts = nameOf.map(() => 0);
	for (let at = 0; at < values.length; at++) {
		const value = values[at] ?? 0;
		valueCounts[value] = (valueCounts[value] ?? 0) + 1;
	}
	const nameCounts: number[] = [];
	for (const [value, name] of nameOf.entries()) {
		nameCounts[name] = (nameCounts[name] ?? 0) + (valueCounts[value] ?? 0);
	}
	return { nameOf, valueCounts, nameCounts };
}
