import { Fault } from "#core/fault/Fault.ts";
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
 * reached is the stalest of the next. Of enough collections it would use up all of that budget, so
 * it has a share of it, and its limit lets nobody else stand still.
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
			// Whoever still waits for the provider then is given back, not waited for.
			const busy = AbortSignal.any([signal, AbortSignal.timeout(LEAN_BUSY_MS)]);
			const work = () => workUntil(endsAtMs, { signal: busy, failed });
			await Promise.all(Array.from({ length: LEAN_CONCURRENCY }, work));
			if (failed.length === 0) return;
			// What the provider did is told by its adapter.
			const ours = failed.find((error) => !(error instanceof Fault));
			core.log[ours ? "warn" : "debug"]("recent events were not read", {
				collections: failed.length,
				error: ours ?? failed[0],
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
				const { providerSlug: slug } = due;
				await readRecentEvents(context, { collection: due, slug, purpose: "endless", signal });
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
