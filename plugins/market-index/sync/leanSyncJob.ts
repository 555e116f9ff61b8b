import type { Job } from "#core/schedule/Job.ts";
import {
	LEAN_BUSY_MS,
	LEAN_CONCURRENCY,
	LEAN_EVERY_MS,
} from "#plugins/market-index/sync/limits.ts";
import { readRecentEvents } from "#plugins/market-index/sync/readRecentEvents.ts";
import type { SyncContext } from "#plugins/market-index/sync/SyncContext.ts";
import { claimLean, type DueLean } from "#plugins/market-index/sync/sql/claimLean.ts";

/** A timer may come a little early, and then finds what the last tick took first. */
const EARLY_MS = 2_000;

/**
 * Every 20 seconds, ten at a time, the stalest first: recent events of every collection that the
 * provider knows. The provider's budget wins: the first limit ends the tick, and whoever was not
 * reached is the stalest of the next.
 */
export function leanSyncJob(context: SyncContext): Job {
	const { core, provider, pause } = context;
	return {
		name: "market-index.lean-sync",
		schedule: { everyMs: LEAN_EVERY_MS },
		lock: "cluster",
		timeoutMs: LEAN_EVERY_MS,
		async run({ signal }) {
			if (!provider.isOn) return;
			const endsAtMs = core.clock.nowMs() + LEAN_BUSY_MS;
			const failed: unknown[] = [];
			const work = () => workUntil(endsAtMs, { signal, failed });
			await Promise.all(Array.from({ length: LEAN_CONCURRENCY }, work));
			if (failed.length === 0) return;
			core.log.warn("recent events were not read", {
				collections: failed.length,
				error: failed[0],
			});
		},
	};

	async function workUntil(
		endsAtMs: number,
		{ signal, failed }: { signal: AbortSignal; failed: unknown[] },
	): Promise<void> {
		const chainIds = core.indexed.map(({ chain }) => chain.id);
		while (!signal.aborted && pause.leftMs() === 0) {
			const nowMs = core.clock.nowMs();
			if (nowMs > endsAtMs) return;
			const due = await claimLean(core.db, { chainIds, nowMs, everyMs: LEAN_EVERY_MS - EARLY_MS });
			if (!due) return;
			try {
				await readRecentEvents(context, { collection: due, slug: due.providerSlug, signal });
			} catch (error) {
				if (pause.note(error) || signal.aborted) return giveBack(due);
				failed.push(error);
			}
		}
	}

	async function giveBack({ id, leanAt }: DueLean): Promise<void> {
		await core.db.execute("update market_index.sync set lean_at = $2 where collection_id = $1", [
			id,
			leanAt,
		]);
	}
}
