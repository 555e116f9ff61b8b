// Evaluates plans after a reveal, in parallel, and gives each its turn to buy.

import type { Budget } from "#core/budget/Budget.ts";
import type { Core } from "#core/plugin/Core.ts";
import { MINUTE_MS, sleep } from "#core/time.ts";
import type { MarketIndex, TokenListing } from "#plugins/market-index/contract.ts";
import {
	BOOKS_KEPT_MAX,
	EVALUATED_FOR_MS,
	FILLS_AT_ONCE,
	PAGE_OF_PLANS,
} from "#plugins/reveal-snipe/limits.ts";
import type { PlansContext } from "#plugins/reveal-snipe/model.ts";
import { evaluatePlan, type FillTurns } from "#plugins/reveal-snipe/plans/evaluatePlan.ts";
import {
	makePlansDue,
	readDuePlans,
	readPlannedCollections,
} from "#plugins/reveal-snipe/sql/plans.ts";
import { keepBook, unwatchOthers, watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";

type Evaluator = {
	/**
	 * Makes a covered collection's plans due for the next half hour, and evaluates armed ones once
	 * before it returns. The order book of that moment is kept for dry runs. Calling it twice does no
	 * harm.
	 */
	covered(covered: Covered, signal: AbortSignal): Promise<void>;
	/** Begins its early plans, although many of its tokens may be hidden still. */
	shown(covered: Covered): Promise<void>;
	/** Starts evaluating due plans that are not being evaluated. */
	begin(): Promise<void>;
	/** Waits until nothing is evaluated in this process any more. */
	ended(): Promise<void>;
};

type EvaluatorOptions = {
	budget: Budget;
	/** The most fills per minute of all processes together. */
	fillsPerMinute: number;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

type Waiting = { planId: string; grant(release: () => void): void };

/** A collection whose tokens are all read and ranked after a detected reveal. */
type Covered = { id: number; collectionId: number };

/** Plans that are started together, of all collections or of one. */
type Begun = { at: Date; listings: ReadBook; collectionId?: number };

type ReadBook = (collectionId: number) => Promise<readonly TokenListing[]>;

const NAME = "reveal-snipe.fills";
/** The longest delay before a refused take is repeated: plans change meanwhile. */
const ASK_AGAIN_MS = 1_000;
/** The answer when the budget cannot be read: no turn is given. */
const NOT_NOW = { granted: false, retryAfterMs: ASK_AGAIN_MS };

/** Makes the evaluator of plans: they run in parallel, each by itself, and take turns to buy. */
export function createEvaluator(context: PlansContext, options: EvaluatorOptions): Evaluator {
	const { core, market } = context;
	const { budget, fillsPerMinute: perMinute, ending } = options;
	const turns = createFillTurns({ budget, perMinute, atOnce: FILLS_AT_ONCE });
	const running = new Map<string, Promise<void>>();

	const booksAt = (at: Date) => readOnce((id) => market.book.listings(id, at));

	/** Starts due plans; a running one is not started twice. Returns their runs. */
	async function start({ at, listings, collectionId }: Begun): Promise<Promise<void>[]> {
		const due = { at, limit: PAGE_OF_PLANS, ...(collectionId !== undefined && { collectionId }) };
		const ids = await readDuePlans(core.db, due);
		return ids.map((id) => {
			const known = running.get(id);
			if (known) return known;
			const run = evaluatePlan(context, id, { turns, listings, signal: ending })
				.catch((error) => {
					if (!ending.aborted) core.log.error("a plan could not be evaluated", { id, error });
				})
				.finally(() => running.delete(id));
			running.set(id, run);
			return run;
		});
	}

	async function evaluateAll(
		begun: Begun & { collectionId: number; detectionId: number },
	): Promise<Promise<void>[]> {
		const until = new Date(begun.at.getTime() + EVALUATED_FOR_MS);
		await makePlansDue(core.db, { ...begun, until });
		return start(begun);
	}

	return {
		async covered({ id: detectionId, collectionId }, signal) {
			const at = new Date(core.clock.nowMs());
			const listings = booksAt(at);
			const begun = { at, listings, collectionId, detectionId };
			const evaluated = context.isOn ? await evaluateAll(begun) : [];
			const kept = { detectionId, collectionId, takenAt: at };
			await keepBook(core.db, { ...kept, listings: await listings(collectionId) });
			const stopped = Promise.withResolvers<void>();
			signal.addEventListener("abort", () => stopped.resolve(), { once: true });
			await Promise.race([Promise.all(evaluated), stopped.promise]);
		},
		async shown({ id: detectionId, collectionId }) {
			if (!context.isOn || ending.aborted) return;
			const at = new Date(core.clock.nowMs());
			const until = new Date(at.getTime() + EVALUATED_FOR_MS);
			const due = { detectionId, collectionId, at, until, isEarly: true };
			if ((await makePlansDue(core.db, due)) === 0) return;
			await start({ at, listings: booksAt(at), collectionId });
		},
		async begin() {
			if (!context.isOn || ending.aborted) return;
			const at = new Date(core.clock.nowMs());
			await start({ at, listings: booksAt(at) });
		},
		async ended() {
			await Promise.all(running.values());
		},
	};
}

/**
 * Makes the queue of turns for fills. The provider allows a few fills a minute for all plans of all
 * processes together. Among waiting plans the one with the fewest turns is next; at equal counts
 * the one that waits longest. So one plan with a hundred candidates starves no other.
 */
export function createFillTurns({
	budget,
	perMinute,
	atOnce,
}: {
	budget: Budget;
	perMinute: number;
	atOnce: number;
}): FillTurns {
	const waiting: Waiting[] = [];
	const turns = new Map<string, number>();
	let underWay = 0;
	let isHandingOut = false;

	function next(): Waiting | undefined {
		const fewest = Math.min(...waiting.map(({ planId }) => turns.get(planId) ?? 0));
		const place = waiting.findIndex(({ planId }) => (turns.get(planId) ?? 0) === fewest);
		return place < 0 ? undefined : waiting.splice(place, 1)[0];
	}

	async function handOut(): Promise<void> {
		if (isHandingOut) return;
		isHandingOut = true;
		try {
			while (waiting.length > 0 && underWay < atOnce) {
				const terms = { amount: 1, perWindow: perMinute, windowMs: MINUTE_MS };
				const taken = await budget.take(NAME, terms).catch(() => NOT_NOW);
				if (!taken.granted) {
					await sleep(Math.min(Math.max(taken.retryAfterMs, 1), ASK_AGAIN_MS));
					continue;
				}
				const one = next();
				if (!one) break;
				turns.set(one.planId, (turns.get(one.planId) ?? 0) + 1);
				underWay++;
				one.grant(release());
			}
		} finally {
			isHandingOut = false;
		}
		// With nothing waiting or running, past turns no longer matter.
		if (waiting.length === 0 && underWay === 0) turns.clear();
	}

	function release(): () => void {
		let isOver = false;
		return () => {
			if (isOver) return;
			isOver = true;
			underWay--;
			void handOut();
		};
	}

	return {
		take(planId, signal) {
			return new Promise((resolve) => {
				if (signal.aborted) return resolve(null);
				const one: Waiting = {
					planId,
					grant(granted) {
						signal.removeEventListener("abort", leave);
						resolve(granted);
					},
				};
				function leave() {
					waiting.splice(waiting.indexOf(one), 1);
					resolve(null);
				}
				signal.addEventListener("abort", leave, { once: true });
				waiting.push(one);
				void handOut();
			});
		},
	};
}

/**
 * Watches the collections of all open plans, and stops watching others for plans. The transaction
 * that stores a plan adds its collection; this removes collections, and repairs effects of parallel
 * changes.
 *
 * The order books of the first collections are kept current, and refreshed at once during a reveal:
 * a plan chooses from its collection's stored book.
 */
export async function watchPlanned({
	core: { db, clock },
	market: { book },
}: {
	core: Pick<Core, "db" | "clock">;
	market: { book: Pick<MarketIndex["book"], "watch" | "follow"> };
}): Promise<void> {
	const at = new Date(clock.nowMs());
	const planned = await readPlannedCollections(db, at);
	for (const { collectionId, chainId } of planned) {
		await watchCollection(db, { collectionId, chainId, reason: "plan", at });
	}
	const ids = planned.map(({ collectionId }) => collectionId);
	await unwatchOthers(db, "plan", ids);
	const urgent = planned.flatMap(({ collectionId: id, isUrgent }) => (isUrgent ? [id] : []));
	if (urgent.length > 0) await book.watch(urgent, { at, isUrgent: true });
	if (ids.length > 0) {
		await book.watch(ids.slice(0, BOOKS_KEPT_MAX), { at, isUrgent: false });
		await book.follow(ids, at);
	}
}

/** Reads a book once for all plans that are started together. */
function readOnce(read: (collectionId: number) => Promise<TokenListing[]>): ReadBook {
	const books = new Map<number, Promise<readonly TokenListing[]>>();
	return (id) => {
		const known = books.get(id) ?? read(id);
		books.set(id, known);
		return known;
	};
}
