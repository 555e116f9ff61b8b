// Queues and runs full syncs: all that the provider reports of one collection.

import { z } from "zod";
import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import type { QueueTask } from "#core/queue.ts";
import type { Job } from "#core/schedule.ts";
import { FLOOR_AGAIN_MS, type SyncContext } from "#plugins/market-index/pace.ts";
import {
	BACKOFF_FIRST_MS,
	BACKOFF_MAX_MS,
	LIMIT_WAITED_OUT_MS,
	LIMITS_WAITED_OUT_MAX,
	PART_AGE_MAX_MS,
	PAUSE_WAITED_OUT_MS,
	SYNC_AGAIN_MS,
	SYNC_CONCURRENCY,
	SYNC_EVERY_MS,
	SYNC_TIMEOUT_MS,
	SYNCS_PER_TICK_MAX,
	TRACKED_PER_TICK_MAX,
	UNCOUNTED_AGAIN_MS,
	UNNAMED_AGAIN_MS,
	YOUNG_MS,
} from "#plugins/market-index/sync/bounds.ts";
import { floorOfParts } from "#plugins/market-index/sync/parts/ask.ts";
import { type PartReading, readParts } from "#plugins/market-index/sync/parts/read.ts";
import { countParts, partsOf, type SyncParts } from "#plugins/market-index/sync/parts/SyncParts.ts";
import {
	FULL_SYNC_TASK,
	LISTED_PRIORITY,
	moveSync,
	OPENED_PRIORITY,
	syncJobs,
	WALKED_PRIORITY,
} from "#plugins/market-index/sync/requests.ts";
import {
	claimSyncs,
	closeSync,
	deferSync,
	lockSync,
	nameSync,
	type SyncRow,
	trackCollections,
} from "#plugins/market-index/sync/sql/syncs.ts";
import { isWalked } from "#plugins/market-index/sync/walk/walks.ts";
import { type WalkedOnce, walkOnce } from "#plugins/market-index/sync/walk/walkTurn.ts";

const payload = z.object({ collectionId: z.int() });

/**
 * Makes a job that queues the next collections each minute, failed ones too; none during a limit. A
 * limit that ends soon is waited for: otherwise the collections that it put back would wait for the
 * next tick.
 */
export function fullSyncJob({
	core,
	provider,
	pause,
	wait,
}: Pick<SyncContext, "core" | "provider" | "pause" | "wait">): Job {
	return {
		name: "market-index.full-sync",
		schedule: { everyMs: SYNC_EVERY_MS },
		lock: "cluster",
		timeoutMs: SYNC_EVERY_MS,
		async run({ signal }) {
			if (!provider.isOn) return;
			const leftMs = pause.leftMs();
			if (leftMs > 0 && leftMs <= PAUSE_WAITED_OUT_MS) await wait(leftMs, signal);
			if (signal.aborted || pause.leftMs() > 0) return;
			const chainIds = core.indexed.map(({ chain }) => chain.id);
			await trackCollections(core.db, { chainIds, limit: TRACKED_PER_TICK_MAX });
			await core.db.transaction(async (tx) => {
				const nowMs = core.clock.nowMs();
				const due = await claimSyncs(tx, { chainIds, nowMs, limit: SYNCS_PER_TICK_MAX });
				const idsOf = (isWatched: boolean) =>
					due.filter((one) => one.isWatched === isWatched).map(({ id }) => id);
				await core.queue.add(tx, [
					...syncJobs(idsOf(true), OPENED_PRIORITY),
					...syncJobs(idsOf(false), LISTED_PRIORITY),
				]);
			});
		},
	};
}

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
 * Returns the wait until a sync is retried, by the number of failures in a row: from 1 to 30
 * minutes, in ms.
 */
export function backoffMs(failures: number): number {
	return Math.min(BACKOFF_FIRST_MS * 2 ** Math.min(Math.max(failures - 1, 0), 10), BACKOFF_MAX_MS);
}

/**
 * Ends a full sync of which everything arrived. A first sync whose day of events is still being
 * read stays `syncing`, without a worker: it is queued for its next page, or continues when the
 * walk ends. Does nothing where another worker took the collection meanwhile.
 */
export async function endSync(
	tx: Tx,
	context: Pick<SyncContext, "core" | "prices">,
	ended: {
		row: PartReading["row"];
		/** Null where the provider does not know the contract. */
		parts: SyncParts | null;
		walked: WalkedOnce;
	},
): Promise<void> {
	const { core } = context;
	const { parts, walked } = ended;
	const { id: collectionId, startedAt } = ended.row;
	const row = await lockSync(tx, collectionId);
	if (row?.startedAt?.getTime() !== startedAt.getTime()) return;
	const nowMs = core.clock.nowMs();
	const at = new Date(nowMs);
	// Checked again under the lock: a worker that ended the walk meanwhile found this sync still
	// running, and does not continue it.
	if (walked !== "walked" && !(await isWalked(tx, collectionId))) {
		if (walked === "more") await core.queue.add(tx, syncJobs([collectionId], WALKED_PRIORITY));
		// If nothing else continues it, a tick does.
		const nextAt = new Date(nowMs + SYNC_AGAIN_MS);
		await tx.execute(
			"update market_index.sync set started_at = null, next_at = $2 where collection_id = $1",
			[collectionId, nextAt],
		);
		return;
	}
	if (!(await moveSync(tx, core.log, { collectionId, event: "succeed" }))) return;
	if (parts === null) await nameSync(tx, { collectionId, providerSlug: null, at });
	await tx.execute("update market_index.collection set last_provider_at = $2 where id = $1", [
		collectionId,
		at,
	]);
	const afterMs = parts === null ? UNNAMED_AGAIN_MS : nextInMs(parts, { ...context, row, nowMs });
	await closeSync(tx, { collectionId, at, nextAt: new Date(nowMs + afterMs) });
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

/**
 * Returns how long until the next sync, in ms: sooner where the provider has not counted a new
 * collection, and when the last ask at the floor expires.
 */
function nextInMs(
	parts: SyncParts,
	{ prices, row, nowMs }: Pick<SyncContext, "prices"> & { row: SyncRow; nowMs: number },
): number {
	const { detail, stats, listings } = parts;
	const isUncounted = !detail?.isShared && (!stats?.floor || !stats.owners);
	const isYoung = nowMs - row.registeredAt.getTime() < YOUNG_MS;
	const againMs = isUncounted && isYoung ? UNCOUNTED_AGAIN_MS : SYNC_AGAIN_MS;
	// A part that was kept while others failed is as old as its own answer.
	const oldestMs = Math.min(...[detail, stats, listings].map((part) => part?.atMs ?? nowMs));
	const afterMs = Math.max(Math.min(againMs, oldestMs + SYNC_AGAIN_MS - nowMs), FLOOR_AGAIN_MS);
	const floor = floorOfParts(parts, { chainId: row.chainId, prices, nowMs });
	const { best = null, bestEndsAtMs = null } = listings ?? {};
	const isBest = floor.kind === "ask" && best !== null && BigInt(best.unitNative) === floor.native;
	if (!isBest || bestEndsAtMs === null) return afterMs;
	return Math.min(afterMs, Math.max(bestEndsAtMs - nowMs, FLOOR_AGAIN_MS));
}
