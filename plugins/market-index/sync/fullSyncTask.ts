import { z } from "zod";
import { Fault } from "#core/fault/Fault.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import { backoffMs } from "#plugins/market-index/sync/backoffMs.ts";
import { endSync } from "#plugins/market-index/sync/endSync.ts";
import {
	LIMIT_WAITED_OUT_MS,
	LIMITS_WAITED_OUT_MAX,
	PART_AGE_MAX_MS,
	SYNC_AGAIN_MS,
	SYNC_CONCURRENCY,
	SYNC_TIMEOUT_MS,
} from "#plugins/market-index/sync/limits.ts";
import { moveSync } from "#plugins/market-index/sync/moveSync.ts";
import type { PartReading } from "#plugins/market-index/sync/parts/PartReading.ts";
import { readParts } from "#plugins/market-index/sync/parts/readParts.ts";
import { countParts, partsOf } from "#plugins/market-index/sync/parts/SyncParts.ts";
import { deferSync } from "#plugins/market-index/sync/sql/deferSync.ts";
import { lockSync } from "#plugins/market-index/sync/sql/lockSync.ts";
import { FULL_SYNC_TASK } from "#plugins/market-index/sync/syncJobs.ts";
import { walkOnce } from "#plugins/market-index/sync/walk/walkOnce.ts";

const payload = z.object({ collectionId: z.int() });

/**
 * Makes the task that reads all missing parts of one collection from the provider, and one page of
 * its first day of events. It never fails its job: the row in `sync` states when the next attempt
 * is, and parts that arrived are not read again.
 */
export function fullSyncTask(context: SyncContext): QueueTask<typeof payload> {
	const { provider, pause } = context;
	return {
		name: FULL_SYNC_TASK,
		payload,
		attemptsMax: 3,
		timeoutMs: SYNC_TIMEOUT_MS,
		lane: { name: "sync", concurrency: SYNC_CONCURRENCY },
		async run({ collectionId }, { signal }) {
			if (!provider.isOn) return;
			await waitOut(context, signal);
			const begun = await begin(context, collectionId);
			if (!begun) return;
			const reading = { context, signal, ...begun };
			for (let waits = 0; ; waits++) {
				try {
					return await sync(reading);
				} catch (error) {
					const isLimited = pause.note(error);
					if (isLimited && waits < LIMITS_WAITED_OUT_MAX && (await waitOut(context, signal)))
						continue;
					const isStopped = signal.aborted && signal.reason?.name !== "TimeoutError";
					return giveUp(context, begun.row, isLimited || isStopped ? null : error);
				}
			}
		},
	};
}

/**
 * Waits for a limit that is nearly over; says whether the provider may be asked now. The limit's
 * minute slides: when it is used up, one call after the other becomes free again.
 */
async function waitOut({ pause, wait }: SyncContext, signal: AbortSignal): Promise<boolean> {
	const leftMs = pause.leftMs();
	if (leftMs > 0 && leftMs <= LIMIT_WAITED_OUT_MS) await wait(leftMs, signal);
	return !signal.aborted && pause.leftMs() === 0;
}

async function sync(reading: PartReading): Promise<void> {
	const { context, row, signal } = reading;
	const read = await readParts(reading);
	if (read.kind === "taken") return;
	const isKnown = read.kind === "known";
	const walked = isKnown && row.isFirst ? await walkOnce(context, row.id, signal) : "walked";
	if (isKnown && read.failures.length > 0) throw read.failures[0];
	const parts = isKnown ? reading.parts : null;
	await context.core.db.transaction((tx) => endSync(tx, context, { row, parts, walked }));
}

/**
 * Takes the collection, unless another worker has it. While the provider must not be asked it is
 * queued again at once: a limit is no failure of the collection's.
 */
function begin(
	{ core, pause }: SyncContext,
	collectionId: number,
): Promise<Pick<PartReading, "row" | "parts"> | null> {
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
		// Parts of a sync that only waits for its first day stay valid as long as an ended sync.
		const goodForMs = isTaken && row.startedAt === null ? SYNC_AGAIN_MS : PART_AGE_MAX_MS;
		return { row: { ...row, startedAt }, parts: partsOf(row.parts, nowMs - goodForMs) };
	});
}

/**
 * Stores a failure, or puts the collection back in the queue (`error` null). Where another worker
 * took it meanwhile, nothing changes.
 *
 * A sync that learned something new counts as the first failure: with growing waits its parts would
 * expire before the last one arrives. A part that expired and was read again is nothing new: beside
 * one that always fails it would undo each long wait.
 */
async function giveUp(
	{ core, pause }: SyncContext,
	row: PartReading["row"],
	error: unknown,
): Promise<void> {
	const { id: collectionId, address, startedAt } = row;
	const isFailure = error !== null;
	const failedCode = !isFailure ? null : error instanceof Fault ? error.code : "internal";
	const given = await core.db.transaction(async (tx) => {
		const now = await lockSync(tx, collectionId);
		if (now?.startedAt?.getTime() !== startedAt.getTime()) return null;
		await moveSync(tx, core.log, { collectionId, event: isFailure ? "fail" : "put_back" });
		const nowMs = core.clock.nowMs();
		const hasMore = countParts(now.parts) > countParts(row.parts);
		const failures = !isFailure ? row.failures : hasMore ? 1 : row.failures + 1;
		const waitMs = isFailure ? backoffMs(failures) : pause.leftMs();
		const nextAt = new Date(nowMs + waitMs);
		await deferSync(tx, { collectionId, nextAt, failures, failedCode });
		return { failures, retryInMs: waitMs };
	});
	if (!isFailure) return;
	const about = { contract: address, ...given, error };
	// The adapter logs what the provider did, once for all collections concerned.
	if (error instanceof Fault) core.log.debug("a collection was not synced", about);
	else core.log.error("a collection was not synced", about);
}
