import type { Clock } from "#core/clock/Clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Degradation } from "#core/http/ReadyReport.ts";
import { SECOND_MS } from "#core/time/units.ts";
import { assetRows } from "#plugins/trading/sql/assetRows.ts";

/** `/readyz` is public, so an answer is reused for this long. */
const FRESH_MS = 5_000;
/** How many runs may be missed before it is reported. */
const RUNS_MISSED_MAX = 3;

export type RegistryHealthOptions = {
	db: Queryable;
	clock: Clock;
	chainId: number;
	/** How often the registry is updated. */
	everyMs: number;
};

/**
 * Makes the check of the registry's health. Reports tokens that were not checked for three runs,
 * and tokens that came back to the list and wait for an operator.
 */
export function registryHealth(options: RegistryHealthOptions): () => Promise<Degradation[]> {
	const { db, clock, chainId, everyMs } = options;
	let newest: { atMs: number; found: Degradation[] } | null = null;

	async function read(nowMs: number): Promise<Degradation[]> {
		const state = await assetRows.health(db, chainId);
		const found: Degradation[] = [];
		const uncheckedMs = state.checkedAt === null ? 0 : nowMs - state.checkedAt.getTime();
		if (uncheckedMs > everyMs * RUNS_MISSED_MAX) {
			found.push({
				code: "stock_registry_stale",
				count: state.listed,
				oldestAgeSeconds: Math.floor(uncheckedMs / SECOND_MS),
				action: "Look at the nodes of the stock tokens' chain: tokens are not checked any more.",
			});
		}
		if (state.waiting > 0) {
			const sinceMs = state.waitingSince?.getTime() ?? nowMs;
			found.push({
				code: "stock_tokens_to_review",
				count: state.waiting,
				oldestAgeSeconds: Math.max(0, Math.floor((nowMs - sinceMs) / SECOND_MS)),
				action: "Approve or refuse the tokens that came back: /v1/admin/stock-tokens.",
			});
		}
		return found;
	}

	return async () => {
		const nowMs = clock.nowMs();
		if (newest && Math.abs(nowMs - newest.atMs) < FRESH_MS) return newest.found;
		const found = await read(nowMs);
		newest = { atMs: nowMs, found };
		return found;
	};
}
