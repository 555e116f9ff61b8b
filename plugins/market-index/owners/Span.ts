import type { Address } from "#core/chain/Hex.ts";

/** A range of ids that one account owns since one transfer; both ends included. */
export type Span = {
	from: bigint;
	to: bigint;
	/** The zero address for destroyed ids. */
	owner: Address;
	/** The chain position of the transfer. */
	position: bigint;
};

/** What was, or would be, in the place of a span that may have to be taken back. */
export type SpanBefore = {
	from: bigint;
	to: bigint;
	/** Null where these ids had no owner. */
	owner: Address | null;
	position: bigint;
	/** The position of the transfer that replaced it. */
	until: bigint;
};
