// Reads one page of a collection's events in a turn, and ends the turn or the walk.

import { Fault } from "#core/fault.ts";
import { SECOND_MS } from "#core/time.ts";
import { PROVIDER_PAGE, type SyncContext } from "#plugins/market-index/pace.ts";
import {
	BACK_IN_TIME_MAX,
	FIRST_PAGES_MAX,
	FOREIGN_AFTER_MS,
	FOREIGN_MS,
	LEAN_OVERLAP_MS,
	PAGE_TRIES_MAX,
} from "#plugins/market-index/sync/bounds.ts";
import { LISTED_PRIORITY, syncJobs } from "#plugins/market-index/sync/requests.ts";
import {
	beginWalk,
	type ClaimedTurn,
	knownNewestMs,
	nextStep,
	restMs,
	type Walk,
} from "#plugins/market-index/sync/walk/nextStep.ts";
import { claimOwnTurn, giveTurnBack } from "#plugins/market-index/sync/walk/turns.ts";
import {
	awaitsWalk,
	type EndedWalk,
	endWalk,
	hasProviderOnlySale,
	isWalked,
	keepWalk,
} from "#plugins/market-index/sync/walk/walks.ts";
import type { ProviderEvent } from "#plugins/provider/contract.ts";

type WalkEnd = {
	/** `backwards`: the list was an older one, and says nothing about what is stored. */
	kind: "done" | "stuck" | "backwards";
	walk: NonNullable<ClaimedTurn["walk"]>;
	/** `background`: a full sync took the turn itself, and continues without being queued. */
	purpose: "background" | "endless";
};

/** `more`: the walk continues with the next turn. `over`: it came as far as it will. */
type TurnEnd = "more" | "over";

/** `walked`: the day is whole, or cannot be read. `taken`: another worker has the turn. */
export type WalkedOnce = "walked" | "more" | "taken";

type Asking = { purpose: "background" | "endless"; signal: AbortSignal };

/** `before` may leave out the events of the very second that it names. */
const BEFORE_MARGIN_MS = 1_000;

/** Says why a walk ends where it is. */
const NOT_READ = {
	unreadable: "a page of a collection's events cannot be read",
	unknown: "the provider knows no list of a collection's events",
} as const;

/**
 * Reads the next page of a collection's events and stores the progress: the next turn, in any
 * process, continues after it. The caller gives the turn back where this throws.
 */
export async function walkTurn(
	context: Pick<SyncContext, "core" | "provider" | "merge">,
	turn: ClaimedTurn,
	asking: Asking,
): Promise<TurnEnd> {
	const { core, merge } = context;
	const nowMs = core.clock.nowMs();
	const walk = turn.walk ?? beginWalk(turn, nowMs);
	const page = await askPage(context, turn, { ...asking, walk });
	if (page === "unreadable" || page === "unknown") {
		if (turn.failures < PAGE_TRIES_MAX) core.log.warn(NOT_READ[page], { slug: turn.providerSlug });
		const ended = { ...walk, pages: walk.pages + 1 };
		await finishWalk(context, turn, { ...asking, kind: "stuck", walk: ended });
		return "over";
	}
	if (page === null) {
		await keepWalk(core.db, turn, { ...walk, cursor: null, idle: walk.idle + 1 });
		return "more";
	}
	// One slug may span several contracts; each is read by itself.
	const ours = page.items.filter(
		({ chainId, nft }) => chainId === turn.chainId && (!nft || nft.contract === turn.address),
	);
	if (ours.length > 0) await merge(turn, ours);
	const newestMs = newestOf(page.items, nowMs);
	const knownMs = knownNewestMs(turn, walk.types);
	// An unreadable row may have been the newest: its adapter has logged it.
	const isWhole = (page.unreadable ?? 0) === 0;
	if (!turn.walk && isWhole && hasGoneBack(turn, { newestMs, knownMs, walk, nowMs })) {
		// A list without any readable event is logged, if at all, by the adapter.
		if (turn.backwards === 0 && page.items.length > 0) {
			const slug = turn.providerSlug;
			core.log.warn("a collection's list of events has gone back in time", { slug });
		}
		await finishWalk(context, turn, { ...asking, kind: "backwards", walk });
		return "over";
	}
	const topMs = turn.walk ? walk.topMs : newestMs;
	const timesMs = page.items.map(({ occurredAtMs }) => occurredAtMs);
	const { unreadable, unreadableAtMs, isBroken, cursor: nextCursor } = page;
	const told = { timesMs, unreadable, unreadableAtMs, isBroken, next: nextCursor };
	const step = nextStep({ ...walk, topMs }, told);
	const next = { ...walk, ...step.walk };
	if (step.kind === "more") {
		await keepWalk(core.db, turn, next);
		return "more";
	}
	if (step.kind === "stuck" && walk.pages < FIRST_PAGES_MAX) {
		const { providerSlug: slug } = turn;
		core.log.warn("a collection has more recent events than are read", { slug, pages: next.pages });
	}
	await finishWalk(context, turn, { ...asking, kind: step.kind, walk: next });
	return "over";
}

/**
 * Reads the next page of a first day, unless another worker has the turn. The other pages come with
 * turns of the lean sync, and with those of the full sync when it is queued again: it is one walk.
 */
export async function walkOnce(
	context: SyncContext,
	collectionId: number,
	signal: AbortSignal,
): Promise<WalkedOnce> {
	const { db, clock } = context.core;
	if (await isWalked(db, collectionId)) return "walked";
	const turn = await claimOwnTurn(db, { collectionId, nowMs: clock.nowMs() });
	if (!turn) return (await isWalked(db, collectionId)) ? "walked" : "taken";
	try {
		await walkTurn(context, turn, { purpose: "background", signal });
		context.loneFailures.came(collectionId);
	} catch (error) {
		const isLimit = error instanceof Fault && error.code === "rate_limited";
		const isNobodysFault = isLimit || signal.aborted;
		await endTurnInVain(context, turn, { error, isNobodysFault });
		throw error;
	}
	return (await isWalked(db, collectionId)) ? "walked" : "more";
}

/**
 * Gives back a turn whose page did not arrive. `isNobodysFault`: a limit, or a process that stops.
 *
 * A provider that is away says nothing about the page: the collection is retried with the next run,
 * and no failure is counted. If pages of others arrive meanwhile it waits longer each time, and so
 * does a page that could not be read, or stored.
 */
export async function endTurnInVain(
	{ core, loneFailures }: Pick<SyncContext, "core" | "loneFailures">,
	{ id, turn, leanAt, failures }: ClaimedTurn,
	{ error, isNobodysFault }: { error: unknown; isNobodysFault: boolean },
): Promise<void> {
	if (isNobodysFault) {
		return giveTurnBack(core.db, { id, turn, leanAt, restUntil: null, failures });
	}
	const isAway = error instanceof Fault && error.code === "provider_unavailable";
	const inVain = isAway ? loneFailures.failed(id) : failures;
	const restUntil = new Date(core.clock.nowMs() + restMs(inVain));
	// At least one failure is stored: `mendTurns` ends a long rest without any, as after a clock set
	// back.
	const leastNoted = inVain > 0 ? 1 : 0;
	const noted = isAway ? Math.max(failures, leastNoted) : failures + 1;
	await giveTurnBack(core.db, { id, turn, leanAt, restUntil, failures: noted });
}

/** Stores what a walk has covered, and queues the first sync that waited for it. */
async function finishWalk(
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

/**
 * Reads the page. Returns null where the cursor is refused: it has expired. A page that repeatedly
 * could not be read is given up (`unreadable`): it must not prevent the rest of the walk from
 * counting, nor a first sync from ending. `unknown`: the provider does not know the list, which
 * does not make it empty.
 */
async function askPage(
	{ provider }: Pick<SyncContext, "provider">,
	turn: ClaimedTurn,
	{ walk, purpose, signal }: Asking & { walk: NonNullable<ClaimedTurn["walk"]> },
) {
	const { cursor, types, fromMs, reachedMs, untilMs } = walk;
	const below = cursor === null && reachedMs < untilMs;
	const place = cursor === null ? {} : { cursor };
	try {
		const page = await provider.events(turn.providerSlug, {
			...{ purpose, signal, types, afterMs: fromMs, limit: PROVIDER_PAGE, ...place },
			...(below && { beforeMs: reachedMs + BEFORE_MARGIN_MS }),
		});
		if (!page.isUnknown) return page;
		return cursor === null ? "unknown" : null;
	} catch (error) {
		const code = error instanceof Fault ? error.code : null;
		if (cursor !== null && code === "provider_refused") return null;
		const isOfPage = code === "provider_unreadable" || code === "provider_refused";
		if (isOfPage && turn.failures + 1 >= PAGE_TRIES_MAX) return "unreadable";
		throw error;
	}
}

/** Returns the time of the newest event; times in the future do not count. */
function newestOf(events: readonly ProviderEvent[], nowMs: number): number | null {
	const timesMs = events.map(({ occurredAtMs }) => occurredAtMs).filter((ms) => ms <= nowMs);
	return timesMs.length > 0 ? Math.max(...timesMs) : null;
}

/**
 * Says whether a list is older than the one before: it lacks the newest known event. The event may
 * also have been removed, so after some times the list is believed.
 */
function hasGoneBack(
	{ backwards }: ClaimedTurn,
	given: { newestMs: number | null; knownMs: number | null; walk: Walk; nowMs: number },
): boolean {
	const { newestMs, knownMs, walk, nowMs } = given;
	if (knownMs === null || knownMs < walk.fromMs || knownMs > nowMs) return false;
	if (backwards + 1 >= BACK_IN_TIME_MAX) return false;
	return newestMs === null || newestMs < knownMs;
}

/** Returns whether the provider reported a sale that the lanes, level with the head, did not. */
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
