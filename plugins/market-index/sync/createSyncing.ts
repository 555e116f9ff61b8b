// Keeps collections in step with the provider: all its work, and the small syncs of it.

import { Fault } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { QueueTask } from "#core/queue.ts";
import type { Job } from "#core/schedule.ts";
import { sleep } from "#core/time.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { byLevel } from "#plugins/market-index/jobs/collectionMetadataTask.ts";
import { supplyJobs } from "#plugins/market-index/metadata/metadataJobs.ts";
import { bookJobs, pruneOrdersJob } from "#plugins/market-index/orders/bookJob.ts";
import type { OrderPush } from "#plugins/market-index/orders/OrderRow.ts";
import { applyOrderPushes } from "#plugins/market-index/orders/pushes.ts";
import { createLoneFailures, createPause, type SyncContext } from "#plugins/market-index/pace.ts";
import {
	FOLLOW_EVERY_MS,
	FOLLOWED_MAX,
	LEAN_BUSY_MS,
	LEAN_CONCURRENCY,
	LEAN_EVERY_MS,
	LEAN_TIMEOUT_MS,
	LEVEL_LOOK_MS,
	PAGES_PER_REFRESH,
	REFRESHES_PER_RUN,
	SUPPLIES_BEHIND_MAX,
	SUPPLIES_PER_TICK_MAX,
	SYNC_EVERY_MS,
} from "#plugins/market-index/sync/bounds.ts";
import { fullSyncJob, fullSyncTask } from "#plugins/market-index/sync/fullSync.ts";
import { createSyncRequests, type SyncRequests } from "#plugins/market-index/sync/requests.ts";
import { behindSupplies } from "#plugins/market-index/sync/sql/parts.ts";
import { followedSlugs, noteGap } from "#plugins/market-index/sync/sql/syncs.ts";
import type { ClaimedTurn } from "#plugins/market-index/sync/walk/nextStep.ts";
import {
	claimTurn,
	isBehind,
	mendTurns,
	noteLevel,
	type TurnKind,
} from "#plugins/market-index/sync/walk/turns.ts";
import { endTurnInVain, walkTurn } from "#plugins/market-index/sync/walk/walkTurn.ts";

export type Syncing = SyncRequests & {
	jobs: Job[];
	tasks: QueueTask[];
	/** Stores changes of order books from the provider's stream. */
	applyOrderPushes(pushes: readonly OrderPush[]): Promise<void>;
	/** Handles possibly missed pushes: their content is read over HTTP. */
	noteGap(gap: { slugs: readonly string[]; sinceMs: number }): Promise<void>;
};

type Run = {
	endsAtMs: number;
	signal: AbortSignal;
	failed: unknown[];
	/** Pages of first days that are being read. */
	firsts: number;
	/** Says whether collections wait for a first sync, which leaves refreshes their share. */
	isBehind: boolean;
	/** The refreshes that this run may still make while no first day has a page to read. */
	spare: number;
};

/** Allows for a timer that fires a little early: it would find what the last tick took first. */
const EARLY_MS = 2_000;

/** Makes everything that keeps collections in step with the provider. */
export function createSyncing(
	options: Omit<SyncContext, "pause" | "loneFailures" | "wait"> &
		Partial<Pick<SyncContext, "wait">>,
): Syncing {
	const { core, provider } = options;
	const own = { pause: createPause(core.clock), loneFailures: createLoneFailures() };
	const context = { wait: sleep, ...options, ...own };
	return {
		...createSyncRequests({ core, provider }),
		jobs: [
			fullSyncJob(context),
			leanSyncJob({ ...context, pause: createPause(core.clock) }),
			...bookJobs(context),
			followJob(context),
			pruneOrdersJob(context),
		],
		tasks: [fullSyncTask(context)],
		applyOrderPushes: (pushes) => applyOrderPushes(context, pushes),
		noteGap: (gap) => noteGap(core.db, gap),
	};
}

/**
 * Makes a job that reads events every 20 seconds, ten at a time: a turn is one page of one
 * collection's events, and the collection with the oldest turn is next. First days and refreshes
 * each have their share of the turns: while both want them, three of four are a first day's and the
 * fourth a refresh's. The provider's budget wins: the first limit ends the run, and the collections
 * that were not reached are the oldest of the next. With enough collections it would use up the
 * whole budget, so it has a share of it, and its limit pauses no other work.
 */
export function leanSyncJob(context: SyncContext): Job {
	const { core, provider, pause } = context;
	const lookAtChains = createLevelWatch(context);
	const chainIds = core.indexed.map(({ chain }) => chain.id);
	/** Pages of first days since the last refresh. */
	let firsts = 0;
	return {
		name: "market-index.lean-sync",
		schedule: { everyMs: LEAN_EVERY_MS },
		lock: "cluster",
		timeoutMs: LEAN_TIMEOUT_MS,
		async run({ signal }) {
			if (!provider.isOn) return;
			await lookAtChains();
			const nowMs = core.clock.nowMs();
			await mendTurns(core.db, { chainIds, nowMs });
			const run: Run = {
				endsAtMs: nowMs + LEAN_BUSY_MS,
				signal,
				failed: [],
				firsts: 0,
				isBehind: await isBehind(core.db, { chainIds, nowMs }),
				spare: REFRESHES_PER_RUN,
			};
			await Promise.all(Array.from({ length: LEAN_CONCURRENCY }, () => workUntil(run)));
			const { failed } = run;
			if (failed.length === 0) return;
			// The adapter logs what the provider did.
			const ours = failed.find((error) => !(error instanceof Fault));
			core.log[ours ? "warn" : "debug"]("recent events were not read", {
				collections: failed.length,
				error: ours ?? failed[0],
			});
		},
	};

	async function workUntil(run: Run): Promise<void> {
		while (!run.signal.aborted && pause.leftMs() === 0) {
			if (core.clock.nowMs() > run.endsAtMs) return;
			await lookAtChains();
			const turn = await nextTurn(run);
			if (!turn) return;
			try {
				// A limit that another call met meanwhile holds for this one too.
				if (pause.leftMs() > 0) {
					return await endTurnInVain(context, turn, { error: null, isNobodysFault: true });
				}
				await walkTurn(context, turn, { purpose: "endless", signal: run.signal });
				context.loneFailures.came(turn.id);
			} catch (error) {
				const isNobodysFault = pause.note(error) || run.signal.aborted;
				await endTurnInVain(context, turn, { error, isNobodysFault });
				if (isNobodysFault) return;
				run.failed.push(error);
			} finally {
				if (turn.eventsUntil === null) run.firsts--;
			}
		}
	}

	async function nextTurn(run: Run): Promise<ClaimedTurn | null> {
		if (firsts >= PAGES_PER_REFRESH) {
			firsts = 0;
			const refresh = await claim(run, "refresh");
			if (refresh) return refresh;
		}
		const first = await claim(run, "first");
		if (first) {
			firsts++;
			return first;
		}
		if (run.isBehind || run.firsts > 0) {
			if (run.spare === 0) return null;
			run.spare--;
		}
		return claim(run, "refresh");
	}

	async function claim(run: Run, kind: TurnKind): Promise<ClaimedTurn | null> {
		const nowMs = core.clock.nowMs();
		const everyMs = LEAN_EVERY_MS - EARLY_MS;
		const turn = await claimTurn(core.db, { kind, chainIds, nowMs, everyMs });
		if (turn?.eventsUntil === null) run.firsts++;
		return turn;
	}
}

/**
 * Makes a job that gives the provider's stream the collections to follow. Each process has a stream
 * of its own, or none.
 */
export function followJob({ core, provider }: Pick<SyncContext, "core" | "provider">): Job {
	return {
		name: "market-index.follow",
		schedule: { everyMs: FOLLOW_EVERY_MS },
		lock: "process",
		timeoutMs: FOLLOW_EVERY_MS,
		async run() {
			if (!provider.isOn || provider.stream.state() === "off") return;
			const chainIds = core.indexed.map(({ chain }) => chain.id);
			const nowMs = core.clock.nowMs();
			provider.stream.follow(
				await followedSlugs(core.db, { chainIds, nowMs, limit: FOLLOWED_MAX }),
			);
		},
	};
}

/**
 * Makes a job that has outdated supplies read again. Near the head every batch does that; mints of
 * a catch-up after a pause, or of a backfill, are found here: a few while lanes are behind, as with
 * names.
 */
export function supplyCatchUpJob({
	db,
	queue,
	indexed,
	scanner,
}: Pick<Core, "db" | "queue" | "indexed"> & { scanner: Pick<Scanner, "progress"> }): Job {
	return {
		name: "market-index.supply-catch-up",
		schedule: { everyMs: SYNC_EVERY_MS },
		lock: "cluster",
		timeoutMs: SYNC_EVERY_MS,
		async run() {
			const chains = await byLevel(
				scanner,
				indexed.map(({ chain }) => chain.id),
			);
			const found = await Promise.all([
				behindSupplies(db, { chainIds: chains.level, limit: SUPPLIES_PER_TICK_MAX }),
				behindSupplies(db, { chainIds: chains.behind, limit: SUPPLIES_BEHIND_MAX }),
			]);
			const ids = found.flat();
			if (ids.length > 0) await db.transaction((tx) => queue.add(tx, supplyJobs(ids)));
		},
	};
}

/**
 * Returns a function that records which chains are level with their heads. It checks every few
 * seconds, however often it is called, since a lane may be a block behind at a single check.
 */
function createLevelWatch({
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
