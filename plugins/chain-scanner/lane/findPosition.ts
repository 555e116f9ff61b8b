import type { LaneOptions } from "#plugins/chain-scanner/lane/LaneOptions.ts";
import type { LaneState, Position } from "#plugins/chain-scanner/lane/LaneState.ts";
import { planStart } from "#plugins/chain-scanner/lane/planStart.ts";
import { readCursor } from "#plugins/chain-scanner/sql/cursor.ts";

/**
 * Returns where a lane continues: at its cursor, or after a restart by the restart rule.
 *
 * The rule holds until a first write has committed. If it were dropped earlier, one failing write
 * after a long absence would send the lane through the whole span in order, away from the head.
 */
export async function findPosition(
	options: LaneOptions,
	state: LaneState,
	head: number,
): Promise<Position> {
	const { chainId, db, source, scanFrom, log } = options;
	const stored = await readCursor(db, chainId, source.kind);
	const cursor = stored?.blockNumber ?? null;
	const cursorHash = stored?.blockHash ?? null;
	const { soundAt } = state;
	const fresh = { cursorHash, sound: soundAt, asked: null, ahead: [], early: null, refusals: 0 };
	const goesOn = !state.restarted || source.inOrder === true;
	if (goesOn && cursor !== null) return { cursor, next: cursor + 1, gap: null, ...fresh };
	const at = cursor === null ? Math.min(state.headLowest ?? head, head) : head;
	const plan = planStart({ cursor, head: at, scanFrom });
	if (!plan.gap) return { cursor, next: plan.next, gap: null, ...fresh };
	log.warn("the lane was far behind; backfill owes the span", { ...plan.gap });
	return { cursor, next: plan.next, gap: { range: plan.gap, reason: "restart_behind" }, ...fresh };
}
