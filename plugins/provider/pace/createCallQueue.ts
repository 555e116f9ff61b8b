import type { ProviderCallOptions } from "#plugins/provider/contract.ts";
import { providerFault } from "#plugins/provider/faults.ts";
import { CALL_DISTANCE_MS, QUEUE_CALLS_MAX } from "#plugins/provider/limits.ts";
import type { Bucket } from "#plugins/provider/pace/createBlocks.ts";
import { tooOften } from "#plugins/provider/pace/tooOften.ts";

export type Turn = { bucket: Bucket } & ProviderCallOptions;

export type Waiting = Turn & {
	/** How long it waits for the shared minute already. */
	budgetWaitedMs: number;
	begin(release: () => void): void;
	fail(error: unknown): void;
};

/** The calls of this process that wait for their turn, requests before the background. */
export type CallQueue = {
	/** Waits; answers what `begin` is given. Leaves the queue when its signal aborts. */
	join(turn: Turn): Promise<() => void>;
	/** Who is next of those that may. */
	next(may: (waiting: Waiting) => boolean): Waiting | undefined;
	waiting(): readonly Waiting[];
	/** False where it left meanwhile. */
	remove(waiting: Waiting): boolean;
	drop(waiting: Waiting, error: unknown): void;
};

export function createCallQueue(): CallQueue {
	const queue: Waiting[] = [];

	function remove(waiting: Waiting): boolean {
		const index = queue.indexOf(waiting);
		if (index >= 0) queue.splice(index, 1);
		return index >= 0;
	}
	function drop(waiting: Waiting, error: unknown): void {
		if (remove(waiting)) waiting.fail(error);
	}
	/** A full queue gives the place of the last of the background to a request. */
	function makeRoom(purpose: Turn["purpose"]): void {
		if (queue.length < QUEUE_CALLS_MAX) return;
		const error = tooOften(QUEUE_CALLS_MAX * CALL_DISTANCE_MS, "too many wait for their turn");
		const last = queue.findLast((waiting) => waiting.purpose === "background");
		if (purpose === "background" || !last) throw error;
		drop(last, error);
	}

	return {
		join(turn) {
			return new Promise((resolve, reject) => {
				const givenUp = () => providerFault.unavailable({ detail: "the call was given up" });
				if (turn.signal?.aborted) return reject(givenUp());
				makeRoom(turn.purpose);
				const onAbort = () => drop(waiting, givenUp());
				const settled = () => turn.signal?.removeEventListener("abort", onAbort);
				const waiting: Waiting = {
					...turn,
					budgetWaitedMs: 0,
					begin(release) {
						settled();
						resolve(release);
					},
					fail(error) {
						settled();
						reject(error);
					},
				};
				turn.signal?.addEventListener("abort", onAbort, { once: true });
				queue.push(waiting);
			});
		},
		next: (may) =>
			queue.find((waiting) => waiting.purpose === "request" && may(waiting)) ?? queue.find(may),
		waiting: () => [...queue],
		remove,
		drop,
	};
}
