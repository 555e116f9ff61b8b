// Runs call budgets against an endpoint with a limit, in simulated time.

import { createCallBudget } from "#core/chain/rpc/callBudget.ts";
import type { RpcRank } from "#core/chain/rpc/Rpc.ts";
import { type CallTimeline, localTimeline } from "#core/chain/rpc/timelines.ts";

type Sleeper = { atMs: number; wake(): void };

/** Runs everything that needs no time. */
const settled = async () => {
	for (let turn = 0; turn < 60; turn++) await Promise.resolve();
};
/** Runs it too where answers are read, which takes turns of the event loop. */
const answered = async () => {
	for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Makes a clock that only the lab moves, from one end of a wait to the next. */
export function createLabTime({ readsAnswers = false } = {}) {
	const rest = readsAnswers ? answered : settled;
	const time = { nowMs: 1_000_000 };
	const sleepers = new Set<Sleeper>();
	return {
		clock: { nowMs: () => time.nowMs },
		wait: (ms: number, signal?: AbortSignal) =>
			new Promise<void>((resolve) => {
				if (signal?.aborted) return resolve();
				const sleeper = { atMs: time.nowMs + ms, wake };
				function wake() {
					sleepers.delete(sleeper);
					resolve();
				}
				signal?.addEventListener("abort", wake, { once: true });
				sleepers.add(sleeper);
			}),
		async advance(ms: number) {
			const endMs = time.nowMs + ms;
			for (;;) {
				await rest();
				const [next] = [...sleepers].sort((one, other) => one.atMs - other.atMs);
				if (!next || next.atMs > endMs) break;
				time.nowMs = Math.max(time.nowMs, next.atMs);
				next.wake();
			}
			time.nowMs = endMs;
			await rest();
		},
	};
}

export type LabTime = ReturnType<typeof createLabTime>;

/** Makes a budget on such a clock, with callers and a record of grants. */
export function budgetLab(
	perSecondMax: number | null,
	{ time = createLabTime(), timeline }: { time?: LabTime; timeline?: CallTimeline } = {},
) {
	const { clock, wait, advance } = time;
	const budget = createCallBudget({
		clock,
		wait,
		perSecondMax,
		timeline: timeline ?? localTimeline(clock),
	});
	const granted: { rank: RpcRank; atMs: number; calls: number }[] = [];
	return {
		budget,
		clock,
		advance,
		granted,
		/** Sends this many calls, in as many parts as the budget requires. */
		async send(calls: number, rank: RpcRank, signal?: AbortSignal) {
			for (let left = calls; left > 0; ) {
				const count = await budget.take(left, { rank, signal });
				granted.push({ rank, atMs: clock.nowMs(), calls: count });
				left -= count;
			}
		},
		/** Returns the most calls within any second. */
		mostInASecond(): number {
			let most = 0;
			for (const { atMs } of granted) {
				const inIt = granted.filter((one) => one.atMs >= atMs && one.atMs < atMs + 1_000);
				most = Math.max(
					most,
					inIt.reduce((sum, { calls }) => sum + calls, 0),
				);
			}
			return most;
		},
	};
}
