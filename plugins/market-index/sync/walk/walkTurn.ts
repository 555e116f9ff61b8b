import { Fault } from "#core/fault/Fault.ts";
import { PROVIDER_PAGE } from "#plugins/market-index/pace/limits.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import {
	BACK_IN_TIME_MAX,
	FIRST_PAGES_MAX,
	PAGE_TRIES_MAX,
} from "#plugins/market-index/sync/limits.ts";
import { beginWalk } from "#plugins/market-index/sync/walk/beginWalk.ts";
import type { ClaimedTurn } from "#plugins/market-index/sync/walk/ClaimedTurn.ts";
import { finishWalk } from "#plugins/market-index/sync/walk/finishWalk.ts";
import { knownNewestMs } from "#plugins/market-index/sync/walk/knownNewestMs.ts";
import { nextStep } from "#plugins/market-index/sync/walk/nextStep.ts";
import { keepWalk } from "#plugins/market-index/sync/walk/sql/keepWalk.ts";
import type { Walk } from "#plugins/market-index/sync/walk/Walk.ts";
import type { ProviderEvent } from "#plugins/provider/contract.ts";

/** `more`: the walk continues with the next turn. `over`: it came as far as it will. */
export type TurnEnd = "more" | "over";

/** `before` may leave out the events of the very second that it names. */
const BEFORE_MARGIN_MS = 1_000;

/** Why a walk ends where it is. */
const NOT_READ = {
	unreadable: "a page of a collection's events cannot be read",
	unknown: "the provider knows no list of a collection's events",
} as const;

type Asking = { purpose: "background" | "endless"; signal: AbortSignal };

/**
 * Reads the next page of a collection's events and stores the progress: the next turn, in whatever
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
