import { isTextTrait } from "#plugins/market-index/rank/isTextTrait.ts";
import { normaliseTrait } from "#plugins/market-index/rank/normaliseTrait.ts";
import type { RankedTrait } from "#plugins/market-index/rank/RankedTrait.ts";
import { traitCountName } from "#plugins/market-index/rank/traitCountName.ts";

/** Tokens as integers. A value's number stands for its name as well. */
export type InternedTraits = {
	/** Token `i` has `values[starts[i]]` to before `values[starts[i + 1]]`, one of a name. */
	starts: Int32Array;
	values: Int32Array;
	/** The name of each value, by number. */
	nameOf: readonly number[];
	/** Numbers of tokens with each value, and with each name. */
	valueCounts: readonly number[];
	nameCounts: readonly number[];
};

type Value = {
	id: number;
	/** 0 where the value means that there is none. */
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

/**
 * Turns texts into numbers, once for each different spelling: the same few hundred texts come a
 * hundred thousand times. Of several traits with one name the last counts, as in OpenRarity.
 */
export function internTraits(
	tokens: readonly { traits: readonly RankedTrait[] }[],
): InternedTraits {
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

const NOTHING: Value = { id: -1, says: 0 };

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
