// Finds collections whose names are nearly what was typed, and what a choice among some shows.

import type { Address } from "#core/chain/Hex.ts";
import type { Database, Queryable } from "#core/db/Database.ts";
import { searchTerms } from "#plugins/market-index/search/readSearch.ts";

/** Holds a collection as it is offered when a person is asked which one is meant. */
export type NameChoice = {
	id: number;
	chainId: number;
	slug: string;
	address: Address;
	name: string | null;
	/** In base units: all sales that the index holds. */
	volume: string;
	/** True where the provider vouches for the name; not known is not vouched for. */
	isVerified: boolean;
};

/**
 * Matches the signs between letters of a name, and in front of it, that `collection_letters` leaves
 * out.
 */
const BETWEEN = /[ \-_.&'’!:]/g;
const LETTERS = "regexp_replace(translate(lower(c.name), ' -_.&''’!:', ''), '^the', '')";

/** Shorter words have too many neighbours, longer ones too many spellings. */
const SPELLED_MIN = 4;
const SPELLED_MAX = 24;
/** The least words for a search by words; one word alone is found by its letters. */
const WORDS_MIN = 2;
const WORDS_MAX = 4;
/** Contracts of one name that are read: any number can be deployed. */
const EACH_MAX = 20;
const ALIKE_MAX = 200;

const ALPHABET = [..."abcdefghijklmnopqrstuvwxyz"];

/**
 * Returns the ids of collections whose names are nearly the text: joined or parted in another way
 * (`kilnfolk`), with or without an article, or with one letter wrong, missing, added or swapped in
 * all of it or in each word (`sigal pidgeons`). By `collection_letters` and `collection_words`.
 *
 * What it finds is asked about and never taken: one letter makes another name.
 */
export async function readAlike(
	db: Database,
	query: { chainIds: readonly number[]; text: string },
): Promise<number[]> {
	const letters = query.text.toLowerCase().replace(BETWEEN, "").replace(/^the/, "");
	if (letters === "") return [];
	const words = searchTerms(query.text);
	const [byLetters, byWords] = await Promise.all([
		db.query<{ id: number }>(
			`select found.id from unnest($2::text[]) as asked (letters)
			cross join lateral (
				select c.id from market_index.collection as c
				where ${LETTERS} = asked.letters and not c.excluded and c.chain_id = any($1::int8[])
				order by c.id limit ${EACH_MAX}
			) as found limit ${ALIKE_MAX}`,
			[query.chainIds, [letters, ...spellingsOf(letters)]],
		),
		words.length >= WORDS_MIN && words.length <= WORDS_MAX
			? byMisspelledWords(db, { ...query, words })
			: [],
	]);
	return [...new Set([...byLetters, ...byWords].map(({ id }) => id))];
}

/**
 * Returns the ids of collections with all these words, each in one of its spellings. The database's
 * planner believes that hundreds of unused words are common, and would read all collections.
 */
function byMisspelledWords(
	db: Database,
	{ chainIds, words }: { chainIds: readonly number[]; words: readonly string[] },
): Promise<{ id: number }[]> {
	return db.transaction(async (tx) => {
		await tx.execute("set local enable_seqscan = off");
		return tx.query<{ id: number }>(
			`select id from market_index.collection
			where words @@ $2::tsquery and chain_id = any($1::int8[]) and not excluded
			limit ${ALIKE_MAX}`,
			[chainIds, words.map(anySpelling).join(" & ")],
		);
	});
}

/**
 * Returns these collections as choices, by primary key: what the provider vouches for first, then
 * by volume, which a stranger can make up.
 */
export async function readChoices(
	db: Queryable,
	query: { ids: readonly number[]; limit: number },
): Promise<NameChoice[]> {
	if (query.ids.length === 0) return [];
	return db.query<NameChoice>(
		`select id, chain_id as "chainId", slug, '0x' || encode(address, 'hex') as address, name,
			volume_native::text as volume,
			coalesce(safelist_status = 'verified', false) as "isVerified"
		from market_index.collection where id = any($1::int4[]) and not excluded
		order by coalesce(safelist_status = 'verified', false) desc, volume_native desc, id limit $2`,
		[query.ids, query.limit],
	);
}

/** Returns the spellings of a word with one letter wrong, missing, added or swapped. */
function spellingsOf(word: string): string[] {
	if (word.length < SPELLED_MIN || word.length > SPELLED_MAX) return [];
	const spellings = new Set<string>();
	for (let at = 0; at <= word.length; at++) {
		const [head, letter, rest] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
		for (const other of ALPHABET) spellings.add(`${head}${other}${word.slice(at)}`);
		if (letter === "") continue;
		spellings.add(`${head}${rest}`);
		for (const other of ALPHABET) spellings.add(`${head}${other}${rest}`);
		spellings.add(`${head}${rest.slice(0, 1)}${letter}${rest.slice(1)}`);
	}
	return [...spellings];
}

/**
 * Returns a query of the word in any of its spellings. Terms are quoted, so none is an operator.
 */
function anySpelling(word: string): string {
	return `(${[word, ...spellingsOf(word)].map((one) => `'${one}'`).join(" | ")})`;
}
