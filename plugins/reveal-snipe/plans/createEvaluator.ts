import type { Budget } from "#core/budget/Budget.ts";
import type { TokenListing } from "#plugins/market-index/contract.ts";
import { createFillTurns } from "#plugins/reveal-snipe/plans/createFillTurns.ts";
import { evaluatePlan } from "#plugins/reveal-snipe/plans/evaluatePlan.ts";
import {
	EVALUATED_FOR_MS,
	FILLS_AT_ONCE,
	PAGE_OF_PLANS,
} from "#plugins/reveal-snipe/plans/limits.ts";
import type { PlansContext } from "#plugins/reveal-snipe/plans/PlansContext.ts";
import { keepBook } from "#plugins/reveal-snipe/sql/keptBooks.ts";
import { makePlansDue, readDuePlans } from "#plugins/reveal-snipe/sql/plans.ts";

/** A collection whose tokens are all read and ranked after a detected reveal. */
type Covered = { id: number; collectionId: number };

export type Evaluator = {
	/**
	 * Makes a covered collection's plans due for the next half hour, and evaluates armed ones once
	 * before it returns. The order book of that moment is kept for dry runs. Calling it twice does no
	 * harm.
	 */
	covered(covered: Covered, signal: AbortSignal): Promise<void>;
	/** Starts evaluating due plans that are not being evaluated. */
	begin(): Promise<void>;
	/** Waits until nothing is evaluated in this process any more. */
	ended(): Promise<void>;
};

export type EvaluatorOptions = {
	budget: Budget;
	/** The most fills per minute of all processes together. */
	fillsPerMinute: number;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

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

	async function evaluateAll(begun: Begun & { collectionId: number }): Promise<Promise<void>[]> {
		const until = new Date(begun.at.getTime() + EVALUATED_FOR_MS);
		await makePlansDue(core.db, { ...begun, until });
		return start(begun);
	}

	return {
		async covered({ id: detectionId, collectionId }, signal) {
			const at = new Date(core.clock.nowMs());
			const listings = booksAt(at);
			const begun = { at, listings, collectionId };
			const evaluated = context.isOn ? await evaluateAll(begun) : [];
			const kept = { detectionId, collectionId, takenAt: at };
			await keepBook(core.db, { ...kept, listings: await listings(collectionId) });
			const stopped = Promise.withResolvers<void>();
			signal.addEventListener("abort", () => stopped.resolve(), { once: true });
			await Promise.race([Promise.all(evaluated), stopped.promise]);
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

/** Plans that are started together, of all collections or of one. */
type Begun = { at: Date; listings: ReadBook; collectionId?: number };

type ReadBook = (collectionId: number) => Promise<readonly TokenListing[]>;

/** Reads a book once for all plans that are started together. */
function readOnce(read: (collectionId: number) => Promise<TokenListing[]>): ReadBook {
	const books = new Map<number, Promise<readonly TokenListing[]>>();
	return (id) => {
		const known = books.get(id) ?? read(id);
		books.set(id, known);
		return known;
	};
}
