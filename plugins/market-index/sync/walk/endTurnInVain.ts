import { Fault } from "#core/fault/Fault.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import type { ClaimedTurn } from "#plugins/market-index/sync/walk/ClaimedTurn.ts";
import { restMs } from "#plugins/market-index/sync/walk/restMs.ts";
import { giveTurnBack } from "#plugins/market-index/sync/walk/sql/giveTurnBack.ts";

/**
 * Gives back a turn whose page did not arrive. `isNobodysFault`: a limit, or a process that stops.
 *
 * A provider that is away says nothing about the page: the collection is retried with the next run,
 * and no failure is counted. If pages of others arrive meanwhile it waits longer each time, and so
 * does a page that could not be read, or stored.
 */
export async function endTurnInVain(
	{ core, loneFailures }: Pick<SyncContext, "core" | "loneFailures">,
	{ id, turn, leanAt, failures }: ClaimedTurn,
	{ error, isNobodysFault }: { error: unknown; isNobodysFault: boolean },
): Promise<void> {
	if (isNobodysFault) {
		return giveTurnBack(core.db, { id, turn, leanAt, restUntil: null, failures });
	}
	const isAway = error instanceof Fault && error.code === "provider_unavailable";
	const inVain = isAway ? loneFailures.failed(id) : failures;
	const restUntil = new Date(core.clock.nowMs() + restMs(inVain));
	// At least one failure is stored: `mendTurns` ends a long rest without any, as after a clock set
	// back.
	const leastNoted = inVain > 0 ? 1 : 0;
	const noted = isAway ? Math.max(failures, leastNoted) : failures + 1;
	await giveTurnBack(core.db, { id, turn, leanAt, restUntil, failures: noted });
}
