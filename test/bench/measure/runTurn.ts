import { z } from "zod";

export const turnOrder = z.object({
	/** Concurrent workers, the time before counting, and the counted time. */
	inFlight: z.int().min(1),
	warmMs: z.number().min(0),
	countMs: z.number().positive(),
	/** So many a second of all workers together, evenly; by default as fast as possible. */
	perSecond: z.number().positive().optional(),
});

export const turnTold = z.object({
	/** Everything that was done, also what ended before or after the counted time. */
	done: z.int().min(1),
	/** In the counted time: how many ended, and how long each took. */
	perSecond: z.number().min(0),
	delaysMs: z.array(z.number().min(0)),
});
export type TurnTold = z.output<typeof turnTold>;

/**
 * Does one thing over and over. Workers are numbered, so that each can have things of its own that
 * must not be done twice at once. The first failure ends all.
 */
export async function runTurn(
	order: z.output<typeof turnOrder> & {
		nowMs?: () => number;
		sleep?: (ms: number) => Promise<unknown>;
	},
	act: (worker: number, turn: number) => Promise<void>,
): Promise<TurnTold> {
	const { inFlight, warmMs, countMs, perSecond } = order;
	const { nowMs = () => performance.now(), sleep = Bun.sleep } = order;
	const apartMs = perSecond === undefined ? 0 : 1_000 / perSecond;
	const fromMs = nowMs() + warmMs;
	const untilMs = fromMs + countMs;
	const delaysMs: number[] = [];
	let done = 0;
	let hasFailed = false;
	async function untilItsTime(place: number): Promise<void> {
		const waitMs = fromMs - warmMs + place * apartMs - nowMs();
		if (waitMs > 0) await sleep(waitMs);
	}
	async function work(worker: number): Promise<void> {
		for (let turn = 0; !hasFailed; turn++) {
			if (apartMs > 0) await untilItsTime(turn * inFlight + worker);
			const beganMs = nowMs();
			if (beganMs >= untilMs) return;
			try {
				await act(worker, turn);
			} catch (error) {
				hasFailed = true;
				throw error;
			}
			const endedMs = nowMs();
			done++;
			if (endedMs >= fromMs && endedMs < untilMs) delaysMs.push(endedMs - beganMs);
		}
	}
	await Promise.all(Array.from({ length: inFlight }, (_, worker) => work(worker)));
	return { done, perSecond: (delaysMs.length * 1_000) / countMs, delaysMs };
}
