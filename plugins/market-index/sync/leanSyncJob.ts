import { Fault } from "#core/fault/Fault.ts";
import type { Job } from "#core/schedule/Job.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import {
	LEAN_BUSY_MS,
	LEAN_CONCURRENCY,
	LEAN_EVERY_MS,
	LEAN_TIMEOUT_MS,
	PAGES_PER_REFRESH,
	REFRESHES_PER_RUN,
} from "#plugins/market-index/sync/limits.ts";
import type { ClaimedTurn } from "#plugins/market-index/sync/walk/ClaimedTurn.ts";
import { createLevelWatch } from "#plugins/market-index/sync/walk/createLevelWatch.ts";
import { endTurnInVain } from "#plugins/market-index/sync/walk/endTurnInVain.ts";
import { claimTurn, type TurnKind } from "#plugins/market-index/sync/walk/sql/claimTurn.ts";
import { isBehind } from "#plugins/market-index/sync/walk/sql/isBehind.ts";
import { mendTurns } from "#plugins/market-index/sync/walk/sql/mendTurns.ts";
import { walkTurn } from "#plugins/market-index/sync/walk/walkTurn.ts";

/** A timer may fire a little early, and would then find what the last tick took first. */
const EARLY_MS = 2_000;

type Run = {
	endsAtMs: number;
	signal: AbortSignal;
	failed: unknown[];
	/** Pages of first days that are being read. */
	firsts: number;
	/** True: collections wait for a first sync, which leaves refreshes their share. */
	isBehind: boolean;
	/** How many more refreshes this run may make while no first day has a page to read. */
	spare: number;
};

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
