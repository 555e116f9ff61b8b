import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import {
	REPLACE_EVERY_MS,
	SILENT_DAYS,
	WATCHED_PER_TURN_MAX,
} from "#plugins/market-index/owners/limits.ts";
import { roomLeft } from "#plugins/market-index/owners/sql/roomLeft.ts";
import { silentSets } from "#plugins/market-index/owners/sql/silentSets.ts";
import { wantedCollections } from "#plugins/market-index/owners/sql/wantedCollections.ts";

/**
 * Makes a function that chooses collections whose owners should be kept: the most active ones while
 * there is room. After that, and only now and then, active ones in place of silent ones.
 */
export function createChoice(
	db: Database,
	{ watchedMax, clock }: { watchedMax: number; clock: Clock },
): (chainId: number) => Promise<number[]> {
	const askedAtMs = new Map<number, number>();
	return async (chainId) => {
		const room = await roomLeft(db, { chainId, watchedMax });
		if (room > 0) {
			const limit = Math.min(room, WATCHED_PER_TURN_MAX);
			return wantedCollections(db, { chainId, limit, activeDays: null });
		}
		const nowMs = clock.nowMs();
		if (nowMs - (askedAtMs.get(chainId) ?? Number.NEGATIVE_INFINITY) < REPLACE_EVERY_MS) return [];
		askedAtMs.set(chainId, nowMs);
		const silent = await silentSets(db, {
			chainId,
			days: SILENT_DAYS,
			limit: WATCHED_PER_TURN_MAX,
		});
		// Those above a limit that the operator lowered go first, and are not replaced.
		const limit = Math.max(0, silent.length + room);
		return wantedCollections(db, { chainId, limit, activeDays: SILENT_DAYS });
	};
}
