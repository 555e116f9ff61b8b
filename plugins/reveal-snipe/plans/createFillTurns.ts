import type { Budget } from "#core/budget/Budget.ts";
import { sleep } from "#core/time/sleep.ts";
import { MINUTE_MS } from "#core/time/units.ts";

export type FillTurns = {
	/**
	 * Waits until a fill of that plan may be made, and returns what gives the turn back; null where
	 * the signal aborted first.
	 */
	take(planId: string, signal: AbortSignal): Promise<(() => void) | null>;
};

type Waiting = { planId: string; grant(release: () => void): void };

const NAME = "reveal-snipe.fills";
/** A refused take is asked again at least so often: plans come and go meanwhile. */
const ASK_AGAIN_MS = 1_000;
/** What cannot be counted is not given out. */
const NOT_NOW = { granted: false, retryAfterMs: ASK_AGAIN_MS };

/**
 * Hands out turns to make fills. The provider fills a handful a minute for all plans of all
 * processes together; of those that wait here, the plan that had the fewest turns is next, and
 * among equals the one that waits longest. So one plan with a hundred candidates starves nobody.
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
		// Nobody is left whom past turns could be unfair to.
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
