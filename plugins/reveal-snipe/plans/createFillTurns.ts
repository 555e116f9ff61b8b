import type { Budget } from "#core/budget/Budget.ts";
import { sleep } from "#core/time/sleep.ts";
import { MINUTE_MS } from "#core/time/units.ts";

export type FillTurns = {
	/**
	 * Waits until that plan may make a fill; returns the function that gives the turn back, or null
	 * where the signal aborted first.
	 */
	take(planId: string, signal: AbortSignal): Promise<(() => void) | null>;
};

type Waiting = { planId: string; grant(release: () => void): void };

const NAME = "reveal-snipe.fills";
/** The longest delay before a refused take is repeated: plans change meanwhile. */
const ASK_AGAIN_MS = 1_000;
/** The answer when the budget cannot be read: no turn is given. */
const NOT_NOW = { granted: false, retryAfterMs: ASK_AGAIN_MS };

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
