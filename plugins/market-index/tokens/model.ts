// Names the types and the limits that the whole work on tokens shares.

import type { Core } from "#core/plugin/Core.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Provider, ProviderTrait } from "#plugins/provider/contract.ts";

/** Holds the result of a token's URI: a document, or why there is none. */
export type UriOutcome =
	| {
			kind: "read";
			name: string | null;
			description: string | null;
			imageUrl: string | null;
			animationUrl: string | null;
			/** Null where the document has no traits. */
			traits: readonly ProviderTrait[] | null;
	  }
	| {
			kind: "failed";
			code: string;
			/** True: no server answered, so the server may be at fault, and not the token. */
			isUnreachable: boolean;
	  };

/** Reads the document of a token's URI, in bounded time. Never throws because of the URI. */
export type ReadUri = (
	uri: string,
	options: { signal: AbortSignal; isUrgent?: boolean; isSoon?: boolean },
) => Promise<UriOutcome>;

/** Holds what the work on tokens needs. */
export type TokenContext = {
	core: Pick<Core, "db" | "indexed" | "queue" | "clock" | "log" | "metrics">;
	readUri: ReadUri;
	provider: Pick<Provider, "id" | "isOn" | "nft" | "nfts" | "traits" | "traitFloors">;
	prices: Pick<Prices, "nativeOfSymbol">;
};

/** A token's metadata. */
export type TokenDocument = {
	name: string | null;
	description: string | null;
	imageUrl: string | null;
	animationUrl: string | null;
	/** Null where the document has no traits. */
	traits: TokenTrait[] | null;
};

/** A trait as it is stored; not validated when read, since only the index writes it. */
export type TokenTrait = {
	type: string;
	value: string;
	/** `number`, `date`, … : left out where the value is text. */
	displayType?: string;
};

/** Says which traits a token must have: of each type one of the values. */
export type TraitFilter = readonly { type: string; values: readonly string[] }[];

/** Limits the tokens of one collection; further ones are not read. */
export const TOKENS_MAX = 50_000;

/** Limits the tokens whose URIs are read at once, and whose metadata is written at once. */
export const PART_TOKENS_MAX = 200;

/** The number of tokens still to be read at which the next part's URIs are requested. */
export const AHEAD_TOKENS = PART_TOKENS_MAX / 2;
/** The characters of their URIs above which that waits: some hold a whole drawing. */
export const AHEAD_LENGTH = 8_000_000;

/** Documents that are read concurrently. */
export const READS_IN_FLIGHT_MAX = 24;

/** Ends a run of one collection: it begins nothing new, and is queued after the others. */
export const PART_MS = 30_000;

/** Limits how long documents that are under way at the end of a run may still take. */
export const PART_TIMEOUT_MS = 90_000;

/**
 * The number of documents in a row without an answer after which a server counts as down, and the
 * rest waits.
 */
export const UNREACHABLE_MAX = 64;
export const UNREACHABLE_AGAIN_MS = 300_000;

/** Says how often what was read is stored while all tokens are read again. */
export const REREAD_WRITTEN_MS = 100;
/**
 * The factor of the usual time after which a slow document is put aside, and the least time: twice
 * as long in each pass.
 */
export const PATIENCE_TIMES = 8;
export const PATIENCE_MIN_MS = 1_000;

/**
 * The first and the longest wait between two attempts at one token, doubled each time; and the
 * failures after which it is given up.
 */
export const BACKOFF_FIRST_MS = 60_000;
export const BACKOFF_MAX_MS = 21_600_000;
export const FAILURES_MAX = 8;

/** Delays the search for new tokens after the first of a burst of mints, to search once for all. */
export const LEARN_DELAY_MS = 20_000;

/** Waits while a walk over a contract's history is under way: it will find more tokens. */
export const WALKING_AGAIN_MS = 600_000;

/** The interval of looking for due tokens, and the rows of one search. */
export const DUE_EVERY_MS = 60_000;
export const DUE_ROWS_MAX = 20_000;

/** Limits how often trait counts and ranks are recomputed, unless forced. */
export const TRAITS_EVERY_MS = 900_000;

/** Delays new floors of traits after a change of the order book, which changes all the time. */
export const FLOORS_DELAY_MS = 30_000;

/** Values of traits counted in one collection, and characters of a name or a value. */
export const TRAIT_VALUES_MAX = 20_000;
export const TRAIT_TEXT_MAX = 128;
export const TOKEN_TRAITS_MAX = 100;

/** Limits the pages of the provider's tokens that one run reads; the next run continues. */
export const PROVIDER_PAGES_MAX = 5;
export const PROVIDER_PAGE = 200;
/**
 * A collection's tokens are read from the provider at most this often; so few are read one by one.
 */
export const PROVIDER_EVERY_MS = 3_600_000;
export const PROVIDER_SINGLE_MAX = 10;

/** Says how much of the supply has to be known, in percent, before ranks are useful. */
export const COVERED_SHARE_PERCENT = 95;

/** Limit the characters that are kept of a token's texts. */
export const DESCRIPTION_LENGTH_MAX = 4_096;
export const URI_LENGTH_MAX = 4_096;

/** Limits the collections whose tokens one process reads and counts at the same time. */
export const TOKENS_CONCURRENCY = 2;

/** Delays reading after a message that a token changed: many such messages come together. */
export const REREAD_DELAY_MS = 2_000;

/** Delays counting while all tokens of a collection are read again. */
export const REREAD_WAIT_MS = 60_000;
/** The age at which a reading is given up: it delays nothing any more. */
export const REREAD_LIFE_MS = 2 * 3_600_000;
