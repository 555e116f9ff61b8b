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

/** A part of reading all tokens again, and how far the whole has come. */
export type RereadPart = Pick<Part, "changed" | "swapped" | "end"> & RereadState;

/**
 * What the index offers to whoever watches reveals. It reads, counts and ranks; when that happens
 * is the other's to say.
 */
export type RevealIndex = {
	/** Collections by id; excluded ones are left out. */
	subjects(ids: readonly number[], within?: Tx): Promise<RevealSubject[]>;
	/** Tokens to look at, spread over the ids of those that were read before. */
	probeTokens(collectionId: number, count: number): Promise<bigint[]>;
	/**
	 * Asks contracts of one chain where documents are, as one multicall where the chain has it. Null
	 * where a contract does not tell. Throws where no node answers.
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
	/** Notes that collections were looked at. */
	checked(ids: readonly number[], at: Date): Promise<void>;
	/** Finds tokens minted since anybody looked. It may last, so it has its own transaction. */
	learn(collectionId: number, at: Date): Promise<void>;
	/**
	 * Makes all known tokens of a collection due for reading. While that lasts nothing is counted or
	 * ranked by the clock. A reading that is under way goes on as it began.
	 */
	beginReread(tx: Tx, begin: { collectionId: number; at: Date }): Promise<void>;
	/**
	 * Reads the next part, 30 s at most, and none that was read since the beginning. Null where no
	 * reading is under way, or its chain is away. `hiddenTraits` are those that all tokens had while
	 * they were hidden: who still has them does not count as shown.
	 */
	reread(
		collectionId: number,
		options: { signal: AbortSignal; untilMs: number; hiddenTraits: Shown["traits"] },
	): Promise<RereadPart | null>;
	/** Counts traits now: the tokens' own, the provider's only where these told none. */
	countTraits(collectionId: number, options: { signal: AbortSignal }): Promise<void>;
	/** Ranks tokens now, although the collection is not called revealed yet. */
	rank(collectionId: number): Promise<void>;
	/** Ends a reading: ordinary work goes on. */
	endReread(tx: Tx, collectionId: number): Promise<void>;
	/** Tokens with traits, the rarest first. */
	ranked(collectionId: number): Promise<RankedRow[]>;
};
