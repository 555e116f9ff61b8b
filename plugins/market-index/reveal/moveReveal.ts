import type { Tx } from "#core/db/Database.ts";
import {
	nextRevealState,
	type RevealEvent,
	type RevealState,
} from "#plugins/market-index/reveal/revealState.ts";

export type RevealMove = { from: RevealState; to: RevealState };

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
