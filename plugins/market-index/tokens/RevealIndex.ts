import type { Tx } from "#core/db/Database.ts";
import type { RevealMove } from "#plugins/market-index/reveal/moveReveal.ts";
import type { RevealReading, Shown } from "#plugins/market-index/reveal/readingOf.ts";
import type { RevealEvent } from "#plugins/market-index/reveal/revealState.ts";
import type { Part } from "#plugins/market-index/tokens/readPart.ts";
import type { AskedToken } from "#plugins/market-index/tokens/readTokenUris.ts";
import type {
	RankedRow,
	RereadState,
	RevealSubject,
} from "#plugins/market-index/tokens/sql/reveals.ts";

/** A part of reading all tokens again, with the progress of the whole. */
export type RereadPart = Pick<Part, "changed" | "swapped" | "end"> & RereadState;

/**
 * The index's part in the detection of reveals. It reads, counts and ranks; the caller decides
 * when.
 */
export type RevealIndex = {
	/** Returns collections by id; excluded ones are left out. */
	subjects(ids: readonly number[], within?: Tx): Promise<RevealSubject[]>;
	/** Returns tokens to sample, spread over the ids of those that were read before. */
	probeTokens(collectionId: number, count: number): Promise<bigint[]>;
	/**
	 * Reads the URIs of documents from contracts of one chain, as one multicall where the chain has
	 * it. Null where a contract does not answer. Throws where no node answers.
	 */
	uris(
		chainId: number,
		tokens: readonly AskedToken[],
		options: { signal: AbortSignal; minBlock?: number | undefined },
	): Promise<(string | null)[]>;
	/** Reads one document within the budget of its host; null where it cannot be read now. */
	document(uri: string, options: { signal: AbortSignal }): Promise<Omit<Shown, "uri"> | null>;
	/** Judges what tokens show: all alike, or each its own. */
	reading(tokens: readonly Shown[]): RevealReading;
	/** Moves a collection's state by the table of moves; null where the event does not move it. */
	move(
		tx: Tx,
		given: { collectionId: number; event: RevealEvent; at: Date },
	): Promise<RevealMove | null>;
	/** Records that collections were checked. */
	checked(ids: readonly number[], at: Date): Promise<void>;
	/** Finds tokens minted since the last search. It may take long, so it has its own transaction. */
	learn(collectionId: number, at: Date): Promise<void>;
	/**
	 * Makes all known tokens of a collection due for reading. While that lasts no scheduled job
	 * counts or ranks. A reading under way continues as it began.
	 */
	beginReread(tx: Tx, begin: { collectionId: number; at: Date }): Promise<void>;
	/**
	 * Reads the next part, 30 s at most, without tokens read since the beginning. Null where no
	 * reading is under way, or its chain is away. `hiddenTraits` are those that all tokens had while
	 * hidden: tokens that still have them do not count as shown.
	 */
	reread(
		collectionId: number,
		options: { signal: AbortSignal; untilMs: number; hiddenTraits: Shown["traits"] },
	): Promise<RereadPart | null>;
	/** Counts traits now: the tokens' own, the provider's only where tokens have none. */
	countTraits(collectionId: number, options: { signal: AbortSignal }): Promise<void>;
	/** Ranks tokens now, although the collection is not in state `revealed` yet. */
	rank(collectionId: number): Promise<void>;
	/** Ends a reading: ordinary work continues. */
	endReread(tx: Tx, collectionId: number): Promise<void>;
	/** Returns tokens with traits, the rarest first. */
	ranked(collectionId: number): Promise<RankedRow[]>;
};
