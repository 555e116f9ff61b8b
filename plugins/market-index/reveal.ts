// Judges whether a collection is revealed, and moves its reveal state.

import type { Tx } from "#core/db/Database.ts";
import type { RankedTrait } from "#plugins/market-index/rank/scoreToken.ts";

/** A collection's state: not checked yet, all tokens alike, or each with its own content. */
export type RevealState = "unknown" | "placeholder" | "revealed";

/**
 * Names what can happen to a collection's reveal. `looks_hidden`: the sampled tokens are alike.
 * `looks_shown`: they differ by their traits. `covered`: every token was read again, and they
 * differ.
 */
export type RevealEvent = "looks_hidden" | "looks_shown" | "covered";

export type RevealMove = { from: RevealState; to: RevealState };

/** Holds the parts of a token's document that a reveal changes. */
export type Shown = {
	/** Null where it is not known. */
	uri: string | null;
	imageUrl: string | null;
	traits: readonly RankedTrait[] | null;
};

/**
 * Says how sampled tokens compare. `hidden`: all are alike. `shown`: they differ by traits.
 * `unclear`: neither is certain.
 */
export type RevealReading = "hidden" | "shown" | "unclear";

/**
 * The whole state machine: state, event, next. A missing entry is refused.
 *
 * Only reading all tokens moves `placeholder` to `revealed`: ranks of a part would be wrong, and
 * plans buy by them. A collection that was never seen hidden has nothing to wait for. One that
 * hides again, or whose reveal left the chain, becomes a placeholder again.
 */
const revealMoves: Readonly<
	Record<RevealState, Readonly<Partial<Record<RevealEvent, RevealState>>>>
> = {
	unknown: { looks_hidden: "placeholder", looks_shown: "revealed", covered: "revealed" },
	placeholder: { covered: "revealed" },
	revealed: { looks_hidden: "placeholder" },
};

/**
 * Moves a collection's reveal state by an event, and records that it was checked. Returns the move;
 * null where the event does not move its state, or where there is no such collection.
 */
export async function moveReveal(
	tx: Tx,
	{ collectionId, event, at }: { collectionId: number; event: RevealEvent; at: Date },
): Promise<RevealMove | null> {
	const [row] = await tx.query<{ state: RevealState }>(
		`select reveal_state as state from market_index.collection
		where id = $1 and not excluded for update`,
		[collectionId],
	);
	if (!row) return null;
	const to = nextRevealState(row.state, event);
	await tx.execute(
		`update market_index.collection set reveal_state = $2, reveal_checked_at = $3,
			revealed_at = case when $4 then $3 when $2 = 'placeholder' then null else revealed_at end
		where id = $1`,
		[collectionId, to ?? row.state, at, to === "revealed"],
	);
	return to === null ? null : { from: row.state, to };
}

/** Returns the state after an event; null where the event does not move it. */
export function nextRevealState(state: RevealState, event: RevealEvent): RevealState | null {
	return revealMoves[state][event] ?? null;
}

/**
 * Judges from some tokens' documents whether a collection is revealed. The content of documents
 * counts, not their address: a moved base URI means nothing, and tokens may be revealed one by one
 * under a URI that never changes.
 *
 * Traits that all tokens share ("Status: sealed") say as little as none.
 */
export function readingOf(tokens: readonly Shown[]): RevealReading {
	if (tokens.length < 2) return "unclear";
	const differ = isRevealed(tokens.map(({ traits }) => ({ traits: traits ?? [] })));
	if (differ) return "shown";
	return isShared(tokens.map(({ uri }) => uri)) || isShared(tokens.map(({ imageUrl }) => imageUrl))
		? "hidden"
		: "unclear";
}

/**
 * Says whether tokens differ. Before a reveal all show one document; ranking those would make the
 * first one "the rarest".
 */
export function isRevealed(tokens: readonly { traits: readonly RankedTrait[] }[]): boolean {
	const keyOf = (traits: readonly RankedTrait[]) =>
		JSON.stringify(traits.map(({ type, value }) => JSON.stringify([type, value])).sort());
	const [first, ...others] = tokens;
	if (!first) return false;
	const key = keyOf(first.traits);
	return others.some(({ traits }) => keyOf(traits) !== key);
}

function isShared(texts: readonly (string | null)[]): boolean {
	const [first] = texts;
	return first !== undefined && first !== null && texts.every((text) => text === first);
}
