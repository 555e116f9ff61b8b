import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import { LEVEL_LOOK_MS } from "#plugins/market-index/sync/limits.ts";
import { noteLevel } from "#plugins/market-index/sync/walk/sql/noteLevel.ts";

/**
 * Returns a function that records which chains are level with their heads. It checks every few
 * seconds, however often it is called, since a lane may be a block behind at a single check.
 */
export function createLevelWatch({
	core,
	heldUntil,
}: Pick<SyncContext, "core" | "heldUntil">): () => Promise<void> {
	let lookedAtMs = Number.NEGATIVE_INFINITY;
	return async () => {
		const nowMs = core.clock.nowMs();
		if (Math.abs(nowMs - lookedAtMs) < LEVEL_LOOK_MS) return;
		lookedAtMs = nowMs;
		for (const { chain } of core.indexed) {
			const until = await heldUntil(chain.id);
			if (until !== null) await noteLevel(core.db, { chainId: chain.id, until });
		}
	};
}
