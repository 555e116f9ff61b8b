import type { Address } from "#core/chain/Hex.ts";

/** Ids that one account owns since one move; both ends included. */
export type Span = {
	from: bigint;
	to: bigint;
	/** The zero address of ids that were destroyed. */
	owner: Address;
	/** The place in the chain of the move that made it so. */
	position: bigint;
};

/** What stood, or would stand, in the place of a span that may have to be taken back. */
export type SpanBefore = {
	from: bigint;
	to: bigint;
	/** Null where nobody owned these ids. */
	owner: Address | null;
	position: bigint;
	/** The place of the move that it gave way to. */
	until: bigint;
};
