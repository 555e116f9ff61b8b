/** Says which kind of slot takes a name. A collection's name stays as it was typed. */
export type KnownName = { kind: "collection" } | { kind: "asset"; ticker: string };

/** Maps names, in lower case with single blanks, to what they are. */
export type KnownNames = ReadonlyMap<string, KnownName>;

/**
 * Looks up the names that a plugin knows. A question holds words in any order, and only who keeps
 * the names can say that `bad idea club` is a collection and `tsla` a share.
 *
 * `find` returns those of some groups of words that are names, by an index of the database: it is
 * asked for each question that is not in printed form, with at most `NAMES_ASKED_MAX` groups.
 */
export type NameBook = { find(groups: readonly string[]): Promise<KnownNames> };

/** Limits how many groups of words a book is asked for at once. */
export const NAMES_ASKED_MAX = 250;
