/** What a name means: the kind of slot that takes it. A collection's is taken as it was typed. */
export type KnownName = { kind: "collection" } | { kind: "asset"; ticker: string };

/** Names by how they are typed: in lower case, with single blanks. */
export type KnownNames = ReadonlyMap<string, KnownName>;

/**
 * The names that a plugin knows. A question holds words in any order, and only who keeps the names
 * can say that `bad idea club` is one and that `tsla` is a share.
 *
 * `find` returns those of some groups of words that are names, by an index of the database: it is
 * asked for each question that is not in printed form, with at most `NAMES_ASKED_MAX` groups.
 */
export type NameBook = { find(groups: readonly string[]): Promise<KnownNames> };

/** The most groups of words that a book is asked for at once. */
export const NAMES_ASKED_MAX = 250;
