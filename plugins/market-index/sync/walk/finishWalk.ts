import { SECOND_MS } from "#core/time/units.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import {
	BACK_IN_TIME_MAX,
	FOREIGN_AFTER_MS,
	FOREIGN_MS,
	LEAN_OVERLAP_MS,
} from "#plugins/market-index/sync/limits.ts";
import { LISTED_PRIORITY, syncJobs } from "#plugins/market-index/sync/syncJobs.ts";
import type { ClaimedTurn } from "#plugins/market-index/sync/walk/ClaimedTurn.ts";
import { restMs } from "#plugins/market-index/sync/walk/restMs.ts";
import { awaitsWalk } from "#plugins/market-index/sync/walk/sql/awaitsWalk.ts";
import { type EndedWalk, endWalk } from "#plugins/market-index/sync/walk/sql/endWalk.ts";
import { hasProviderOnlySale } from "#plugins/market-index/sync/walk/sql/hasProviderOnlySale.ts";

export type WalkEnd = {
	/** `backwards`: the list was an older one, and says nothing about what is stored. */
	kind: "done" | "stuck" | "backwards";
	walk: NonNullable<ClaimedTurn["walk"]>;
	/** `background`: a full sync took the turn itself, and continues without being queued. */
	purpose: "background" | "endless";
};

/** Stores what a walk has covered, and queues the first sync that waited for it. */
export async function finishWalk(
	{ core }: Pick<SyncContext, "core">,
	turn: ClaimedTurn,
	{ kind, walk, purpose }: WalkEnd,
): Promise<void> {
	const nowMs = core.clock.nowMs();
	const foreignUntil = (await isForeign(core, turn, nowMs)) ? new Date(nowMs + FOREIGN_MS) : null;
	const outcome = outcomeOf(turn, { kind, walk, nowMs });
	const ended = { ...outcome, baseAt: walk.baseAt, foreignUntil, at: new Date(nowMs) };
	await core.db.transaction(async (tx) => {
		const isMine = await endWalk(tx, turn, ended);
		const isFirst = turn.eventsUntil === null && kind !== "backwards";
		if (!isMine || !isFirst || purpose === "background") return;
		if (!(await awaitsWalk(tx, turn.id))) return;
		await core.queue.add(tx, syncJobs([turn.id], LISTED_PRIORITY));
	});
}

function outcomeOf(
	turn: ClaimedTurn,
	{ kind, walk, nowMs }: Pick<WalkEnd, "kind" | "walk"> & { nowMs: number },
): Omit<EndedWalk, "baseAt" | "foreignUntil" | "at"> {
	const { newestAt, newestTypes, backwards, levelFrom } = turn;
	if (kind === "backwards") {
		const more = Math.min(backwards + 1, BACK_IN_TIME_MAX);
		const kept = { held: null, newestAt, newestTypes, pages: turn.pages, failures: 0 };
		return { ...kept, backwards: more, leanAt: null };
	}
	const top = walk.topMs === null ? null : new Date(walk.topMs);
	const newest = { newestAt: top, newestTypes: walk.types, backwards: 0 };
	// Without progress the page count continues, so that it is not always read first.
	if (walk.reachedMs >= walk.untilMs) {
		const leanAt = new Date(nowMs + restMs(turn.failures));
		return { ...newest, held: null, pages: walk.pages, failures: turn.failures + 1, leanAt };
	}
	// Event times are in seconds: the unreadable one is within this one.
	const fromMs = Math.max(walk.reachedMs, (walk.holeMs ?? Number.NEGATIVE_INFINITY) + SECOND_MS);
	const held = { from: new Date(Math.min(fromMs, walk.untilMs)), until: new Date(walk.untilMs) };
	// It covers a time before the lanes were level: the next turn is due for what lies between.
	const isBeforeLevel = levelFrom !== null && held.until < levelFrom;
	const leanAt = isBeforeLevel ? held.until : null;
	return { ...newest, held, pages: 0, failures: 0, leanAt };
}

/** Says whether the provider told a sale that the lanes, level with the head, did not. */
async function isForeign(
	{ db }: Pick<SyncContext["core"], "db">,
	{ id, levelFrom }: ClaimedTurn,
	nowMs: number,
): Promise<boolean> {
	if (levelFrom === null) return false;
	const from = new Date(levelFrom.getTime() + LEAN_OVERLAP_MS);
	const until = new Date(nowMs - FOREIGN_AFTER_MS);
	return hasProviderOnlySale(db, { collectionId: id, from, until });
}
