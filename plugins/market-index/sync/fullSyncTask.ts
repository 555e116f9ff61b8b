import { z } from "zod";
import { Fault } from "#core/fault/Fault.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import { askProvider } from "#plugins/market-index/sync/askProvider.ts";
import { backoffMs } from "#plugins/market-index/sync/backoffMs.ts";
import { SYNC_CONCURRENCY, SYNC_TIMEOUT_MS } from "#plugins/market-index/sync/limits.ts";
import { moveSync } from "#plugins/market-index/sync/moveSync.ts";
import { readRecentEvents } from "#plugins/market-index/sync/readRecentEvents.ts";
import type { SyncContext } from "#plugins/market-index/sync/SyncContext.ts";
import { deferSync } from "#plugins/market-index/sync/sql/deferSync.ts";
import { lockSync, type SyncRow } from "#plugins/market-index/sync/sql/lockSync.ts";
import { storeSync } from "#plugins/market-index/sync/storeSync.ts";
import { FULL_SYNC_TASK } from "#plugins/market-index/sync/syncJobs.ts";

const payload = z.object({ collectionId: z.int() });

/** Reads one collection whole from the provider. It never fails its job: `sync` says when next. */
export function fullSyncTask(context: SyncContext): QueueTask<typeof payload> {
	const { core, provider, pause } = context;
	return {
		name: FULL_SYNC_TASK,
		payload,
		attemptsMax: 3,
		timeoutMs: SYNC_TIMEOUT_MS,
		lane: { name: "sync", concurrency: SYNC_CONCURRENCY },
		async run({ collectionId }, { signal }) {
			if (!provider.isOn) return;
			const row = await begin(context, collectionId);
			if (!row) return;
			try {
				await sync(context, row, signal);
			} catch (error) {
				const isLimited = pause.note(error);
				const isStopped = signal.aborted && signal.reason?.name !== "TimeoutError";
				await giveUp(context, row, isLimited || isStopped ? null : error);
			}
		},
	};

	async function sync(context: SyncContext, row: BegunSync, signal: AbortSignal): Promise<void> {
		const reading = await askProvider(context, row, signal);
		if (reading.kind === "known" && row.isFirst) {
			const { slug } = reading;
			await readRecentEvents(context, { collection: row, slug, purpose: "background", signal });
		}
		const { id: collectionId, startedAt } = row;
		await core.db.transaction((tx) => storeSync(tx, context, { collectionId, startedAt, reading }));
	}
}

/**
 * Takes the collection, unless another worker has it. While the provider is not to be asked it goes
 * back in line at once: a limit is no failure of the collection's.
 */
function begin({ core, pause }: SyncContext, collectionId: number): Promise<BegunSync | null> {
	return core.db.transaction(async (tx) => {
		const row = await lockSync(tx, collectionId);
		if (!row) return null;
		const nowMs = core.clock.nowMs();
		if (pause.leftMs() > 0) {
			const { failures } = row;
			const nextAt = new Date(nowMs + pause.leftMs());
			await deferSync(tx, { collectionId, nextAt, failures, failedCode: null });
			return null;
		}
		const isTaken = row.status === "syncing";
		const startedMs = row.startedAt?.getTime() ?? 0;
		if (isTaken && startedMs > nowMs - SYNC_TIMEOUT_MS) return null;
		const event = isTaken ? "resume" : "start";
		if (!(await moveSync(tx, core.log, { collectionId, event }))) return null;
		const startedAt = new Date(nowMs);
		await tx.execute("update market_index.sync set started_at = $2 where collection_id = $1", [
			collectionId,
			startedAt,
		]);
		return { ...row, startedAt };
	});
}

/** When it was begun tells whether it is still this worker's. */
type BegunSync = SyncRow & { startedAt: Date };

/**
 * `error` is null where the collection only goes back in line. Where another worker took it up
 * meanwhile, how it goes on is that one's to say.
 */
async function giveUp(
	{ core, pause }: SyncContext,
	{ id: collectionId, address, failures, startedAt }: BegunSync,
	error: unknown,
): Promise<void> {
	const isFailure = error !== null;
	const failed = isFailure ? failures + 1 : failures;
	const failedCode = !isFailure ? null : error instanceof Fault ? error.code : "internal";
	const waitMs = isFailure ? backoffMs(failed) : pause.leftMs();
	await core.db.transaction(async (tx) => {
		const now = await lockSync(tx, collectionId);
		if (now?.startedAt?.getTime() !== startedAt.getTime()) return;
		await moveSync(tx, core.log, { collectionId, event: isFailure ? "fail" : "put_back" });
		const nextAt = new Date(core.clock.nowMs() + waitMs);
		await deferSync(tx, { collectionId, nextAt, failures: failed, failedCode });
	});
	if (!isFailure) return;
	const about = { contract: address, failures: failed, retryInMs: waitMs, error };
	// What the provider did is told by its adapter, once for all collections that it cost.
	if (error instanceof Fault) core.log.debug("a collection was not synced", about);
	else core.log.error("a collection was not synced", about);
}
