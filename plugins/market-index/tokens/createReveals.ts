import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { DOCUMENT_WITHHELD } from "#plugins/market-index/metadata/createDocumentReader.ts";
import {
	moveReveal,
	type RevealEvent,
	type RevealMove,
	type RevealReading,
	readingOf,
	type Shown,
} from "#plugins/market-index/reveal.ts";
import {
	TOKENS_MAX,
	type TokenContext,
	type UriOutcome,
} from "#plugins/market-index/tokens/model.ts";
import {
	type AskedToken,
	type Part,
	type Reread,
	readPart,
	readUrisOf,
	type TokenShown,
} from "#plugins/market-index/tokens/readTokenUris.ts";
import {
	beginReread,
	endReread,
	keepTraitsOf,
	noteRevealsChecked,
	pickProbeTokens,
	type RankedRow,
	type RereadState,
	type RevealSubject,
	readRankedTokens,
	readRereadState,
	readRereadTokens,
	readRevealSubjects,
	readStoredTokens,
	type StoredToken,
	takeRanksBack,
} from "#plugins/market-index/tokens/sql/ranks.ts";
import { learnTokens, tokenState } from "#plugins/market-index/tokens/sql/tokens.ts";
import { storableDocument } from "#plugins/market-index/tokens/storable.ts";
import { countTraitsNow, rankTokensNow } from "#plugins/market-index/tokens/traitsTask.ts";

/**
 * Holds what a document shows. `none`: there is no document, or an empty one. `unknown`: it cannot
 * be read now, so that nothing follows from it.
 */
export type ShownDocument =
	| ({ kind: "read" } & Omit<Shown, "uri">)
	| { kind: "none" }
	| { kind: "unknown" };

/** A part of reading all tokens again, with the progress of the whole. */
export type RereadPart = Pick<Part, "changed" | "swapped" | "end" | "after"> & RereadState;

/**
 * The index's part in the detection of reveals. It reads, counts and ranks; the caller decides
 * when.
 */
export type RevealIndex = {
	/** Returns collections by id; excluded ones are left out. */
	subjects(ids: readonly number[], within?: Tx): Promise<RevealSubject[]>;
	/** Returns tokens to sample, spread over the ids of those that exist. */
	probeTokens(collectionId: number, count: number): Promise<bigint[]>;
	/** Returns what is stored of tokens; those that no source has reported are left out. */
	stored(collectionId: number, tokenIds: readonly bigint[]): Promise<StoredToken[]>;
	/**
	 * Reads the URIs of documents from contracts of one chain, as one multicall where the chain has
	 * it. Empty where a contract has none; null where nothing was learned. Throws where no node
	 * answers. `apart` gets contracts whose URIs are long, or take much gas: theirs are null, and
	 * read where they are asked for without it.
	 */
	uris(
		chainId: number,
		tokens: readonly AskedToken[],
		options: { signal: AbortSignal; minBlock?: number | undefined; apart?: Set<Address> },
	): Promise<(string | null)[]>;
	/** Reads one document within the budget of its host. */
	document(uri: string, options: { signal: AbortSignal }): Promise<ShownDocument>;
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
	 * Reads the next part, 30 s at most, without tokens read since the beginning, but for those that
	 * are named once more. Null where no reading is under way, or its chain is away.
	 */
	reread(
		collectionId: number,
		options: Omit<Reread, "since"> & { signal: AbortSignal; untilMs: number },
	): Promise<RereadPart | null>;
	/**
	 * Counts all tokens, and returns what those show that were read since the beginning. `unread`:
	 * also what is stored of all others.
	 */
	rereadTokens(
		collectionId: number,
		options?: { unread?: boolean },
	): Promise<{ tokens: number; read: TokenShown[]; before: TokenShown[] }>;
	/**
	 * Keeps the traits of revealed tokens, and deletes those of all others. `hiddenTraits` are those
	 * that all tokens had while hidden: a token that still has them gets no rank later either.
	 */
	keepTraitsOf(
		tx: Tx,
		kept: { collectionId: number; out: readonly bigint[]; hiddenTraits: Shown["traits"] },
	): Promise<void>;
	/** Counts traits now: the tokens' own, the provider's only where tokens have none. */
	countTraits(collectionId: number, options: { signal: AbortSignal }): Promise<void>;
	/** Ranks tokens now, although the collection is not in state `revealed` yet. */
	rank(collectionId: number): Promise<void>;
	/** Removes its ranks: they are of a reveal that was withdrawn. */
	unrank(tx: Tx, collectionId: number): Promise<void>;
	/** Ends a reading: ordinary work continues. */
	endReread(tx: Tx, collectionId: number): Promise<void>;
	/** Returns tokens with traits, the rarest first. */
	ranked(collectionId: number): Promise<RankedRow[]>;
};

/** Codes of documents that nobody gets: they are not there, or their store keeps them back. */
const GONE = new Set(["http_404", "http_410", "uri_unusable", DOCUMENT_WITHHELD]);

/** Makes the index's part in the detection of reveals: tables and readers stay the index's own. */
export function createReveals(context: TokenContext): RevealIndex {
	const { core, readUri } = context;
	const { db } = core;
	return {
		subjects: (ids, within) => readRevealSubjects(within ?? db, ids),
		probeTokens: (collectionId, count) => pickProbeTokens(db, collectionId, count),
		async uris(chainId, tokens, options) {
			const access = accessOf(core, chainId);
			if (!access) return tokens.map(() => null);
			const uris = await readUrisOf(access.rpcFor("reveals"), tokens, options);
			return uris.map((uri) => uri ?? null);
		},
		async document(uri, options) {
			const outcome = await readUri(uri, { ...options, isUrgent: true });
			if (outcome.kind === "failed") return { kind: isGone(uri, outcome) ? "none" : "unknown" };
			const { name, description, imageUrl, traits } = storableDocument(outcome);
			// Servers in trouble answer `{}`.
			const saysNothing = name === null && description === null && imageUrl === null && !traits;
			return saysNothing ? { kind: "none" } : { kind: "read", imageUrl, traits };
		},
		stored: (collectionId, tokenIds) => readStoredTokens(db, collectionId, tokenIds),
		reading: readingOf,
		move: moveReveal,
		checked: (ids, at) => noteRevealsChecked(db, ids, at),
		async learn(collectionId, at) {
			await db.transaction((tx) => learnTokens(tx, { collectionId, at }));
		},
		beginReread,
		async reread(collectionId, { signal, untilMs, ...options }) {
			const state = await tokenState(db, collectionId);
			const access = state && accessOf(core, state.chainId);
			if (!access || state.rereadSince === null) return null;
			const since = state.rereadSince;
			const reread = { ...options, since };
			const part = await readPart(context, access, state, { signal, reread, untilMs });
			const progress = await readRereadState(db, { collectionId, since });
			return { ...part, ...progress };
		},
		rereadTokens: (collectionId, options) => readRereadTokens(db, collectionId, options),
		keepTraitsOf,
		countTraits: async (collectionId, { signal }) => {
			await countTraitsNow(context, collectionId, signal);
		},
		rank: (collectionId) => rankTokensNow(context, collectionId),
		unrank: takeRanksBack,
		endReread,
		ranked: (collectionId) => readRankedTokens(db, collectionId, TOKENS_MAX),
	};
}

/**
 * Says whether there is certainly no document: the server says so, or the URI leads nowhere. A page
 * in its place, or a refusal, may be the server's trouble.
 */
function isGone(uri: string, { code }: Extract<UriOutcome, { kind: "failed" }>): boolean {
	if (GONE.has(code)) return true;
	return code === "not_a_document" && /^\s*(data:|\{)/i.test(uri);
}

function accessOf({ indexed }: Pick<Core, "indexed">, chainId: number): ChainAccess | undefined {
	return indexed.find(({ chain }) => chain.id === chainId);
}
