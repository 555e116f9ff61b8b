// Maps ids to owners as spans: the latest transfer of an id counts.

import type { Address } from "#core/chain/Hex.ts";

export type OwnedBefore = SpanBefore & { setId: number };

/** A range of ids that one account owns since one transfer; both ends included. */
export type Span = {
	from: bigint;
	to: bigint;
	/** The zero address for destroyed ids. */
	owner: Address;
	/** The chain position of the transfer. */
	position: bigint;
};

/** Holds the owner of a span before a transfer that a reorg may remove. */
type SpanBefore = {
	from: bigint;
	to: bigint;
	/** Null where these ids had no owner. */
	owner: Address | null;
	position: bigint;
	/** The position of the transfer that replaced it. */
	until: bigint;
};

/**
 * Holds how a block changed an account's units of an id. For the zero address negative units were
 * minted, positive ones destroyed.
 */
export type UnitsAdded = {
	setId: number;
	block: number;
	/** Null where only the count matters: owners of an ERC-721 are stored as spans. */
	tokenId: bigint | null;
	owner: Address;
	units: bigint;
};

/** The changes of some stored spans. */
export type SpanChanges = {
	/** First ids of removed spans, except those at which a new span begins. */
	gone: bigint[];
	made: Span[];
	before: SpanBefore[];
	/** By account, how many more ids it owns than before; negative: fewer. */
	held: Map<Address, bigint>;
};

type SpanMap = {
	/**
	 * Gives ids to an account, except those that a later transfer gave away. Where the winner is at
	 * `keepFrom` or later, what it replaced is remembered.
	 */
	put(span: Span, keepFrom: bigint): void;
	/** Removes every span of a transfer at this position or later. */
	takeOut(fromPosition: bigint): void;
	changes(): SpanChanges;
};

type Piece = Span & { stored: boolean };

/**
 * Makes a map of a collection's ids as spans that never overlap: for each id the latest transfer
 * counts, whatever the order of arrival, so that a walk through the past and the head may take
 * turns. Ids are never handled one by one.
 *
 * All stored spans that overlap the added ones must be given.
 */
export function createSpanMap(stored: readonly Span[]): SpanMap {
	const pieces: Piece[] = stored
		.map((span) => ({ ...span, stored: true }))
		.sort((a, b) => (a.from < b.from ? -1 : 1));
	const before: SpanBefore[] = [];
	const held = new Map<Address, bigint>();

	function hold({ owner, from, to }: Span, sign: 1n | -1n): void {
		held.set(owner, (held.get(owner) ?? 0n) + sign * (to - from + 1n));
	}

	function remember(lost: Omit<SpanBefore, "until">, until: bigint, keepFrom: bigint): void {
		if (until >= keepFrom) before.push({ ...lost, until });
	}

	/** Returns the index of the first piece that ends at an id or beyond it. */
	function indexOf(id: bigint): number {
		let low = 0;
		let high = pieces.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			const piece = pieces[middle];
			if (piece && piece.to < id) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	return {
		put(span, keepFrom) {
			const start = indexOf(span.from);
			const result: Piece[] = [];
			const win = (from: bigint, to: bigint) => {
				const won = { ...span, from, to, stored: false };
				hold(won, 1n);
				const last = result.at(-1);
				if (last && isSameMove(last, span) && last.to === from - 1n) {
					last.to = to;
					last.stored = false;
				} else {
					result.push(won);
				}
			};
			let at = span.from;
			let end = start;
			for (let piece = pieces[end]; piece && piece.from <= span.to; piece = pieces[++end]) {
				const from = piece.from > span.from ? piece.from : span.from;
				const to = piece.to < span.to ? piece.to : span.to;
				if (at < from) {
					remember(nobody(at, from - 1n), span.position, keepFrom);
					win(at, from - 1n);
				}
				if (piece.position >= span.position) {
					const isOther = piece.position > span.position;
					if (isOther) remember({ ...span, from, to }, piece.position, keepFrom);
					result.push(piece);
				} else {
					const { owner, position } = piece;
					remember({ from, to, owner, position }, span.position, keepFrom);
					hold({ ...piece, from, to }, -1n);
					const rest = { ...piece, stored: false };
					if (piece.from < from) result.push({ ...rest, to: from - 1n });
					win(from, to);
					if (piece.to > to) result.push({ ...rest, from: to + 1n });
				}
				at = to + 1n;
			}
			if (at <= span.to) {
				remember(nobody(at, span.to), span.position, keepFrom);
				win(at, span.to);
			}
			pieces.splice(start, end - start, ...result);
		},
		takeOut(fromPosition) {
			let kept = 0;
			for (const piece of pieces) {
				if (piece.position < fromPosition) pieces[kept++] = piece;
				else hold(piece, -1n);
			}
			pieces.length = kept;
		},
		changes() {
			const made = pieces.filter((piece) => !piece.stored);
			const firstIds = new Set(pieces.map(({ from }) => from));
			const gone = stored.map(({ from }) => from).filter((from) => !firstIds.has(from));
			return { gone, made, before, held };
		},
	};
}

function isSameMove(a: Span, b: Span): boolean {
	return a.position === b.position && a.owner === b.owner;
}

function nobody(from: bigint, to: bigint) {
	return { from, to, owner: null, position: -1n };
}
