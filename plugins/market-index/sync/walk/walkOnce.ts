import { Fault } from "#core/fault/Fault.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import { endTurnInVain } from "#plugins/market-index/sync/walk/endTurnInVain.ts";
import { claimOwnTurn } from "#plugins/market-index/sync/walk/sql/claimOwnTurn.ts";
import { isWalked } from "#plugins/market-index/sync/walk/sql/isWalked.ts";
import { walkTurn } from "#plugins/market-index/sync/walk/walkTurn.ts";

/** `walked`: the day is whole, or cannot be read. `taken`: another worker has the turn. */
export type WalkedOnce = "walked" | "more" | "taken";

/**
 * Reads the next page of a first day, unless another worker has the turn. The other pages come with
 * turns of the lean sync, and with those of the full sync when it is queued again: it is one walk.
 */
export async function walkOnce(
	context: SyncContext,
	collectionId: number,
	signal: AbortSignal,
): Promise<WalkedOnce> {
	const { db, clock } = context.core;
	if (await isWalked(db, collectionId)) return "walked";
	const turn = await claimOwnTurn(db, { collectionId, nowMs: clock.nowMs() });
	if (!turn) return (await isWalked(db, collectionId)) ? "walked" : "taken";
	try {
		await walkTurn(context, turn, { purpose: "background", signal });
		context.loneFailures.came(collectionId);
	} catch (error) {
		const isLimit = error instanceof Fault && error.code === "rate_limited";
		const isNobodysFault = isLimit || signal.aborted;
		await endTurnInVain(context, turn, { error, isNobodysFault });
		throw error;
	}
	return (await isWalked(db, collectionId)) ? "walked" : "more";
}
