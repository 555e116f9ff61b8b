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

/** Who gives up a place in a full queue last. */
const PURPOSES = ["request", "background", "endless"] as const satisfies Turn["purpose"][];

const BACKGROUND_FIRST = ["background", "endless"] as const;
const ENDLESS_FIRST = ["endless", "background"] as const;

/** The calls of this process that wait for their turn, requests before all else. */
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
	/** Whose turn it is of the two that no client waits for. */
	let turns: readonly [Turn["purpose"], Turn["purpose"]] = BACKGROUND_FIRST;

	function remove(waiting: Waiting): boolean {
		const index = queue.indexOf(waiting);
		if (index >= 0) queue.splice(index, 1);
		return index >= 0;
	}
	function drop(waiting: Waiting, error: unknown): void {
		if (remove(waiting)) waiting.fail(error);
	}
	/** A full queue gives the place of the last of the least urgent to who is more urgent. */
	function makeRoom(purpose: Turn["purpose"]): void {
		if (queue.length < QUEUE_CALLS_MAX) return;
		const error = tooOften(QUEUE_CALLS_MAX * CALL_DISTANCE_MS, "too many wait for their turn");
		const lesser = PURPOSES.slice(PURPOSES.indexOf(purpose) + 1).toReversed();
		for (const one of lesser) {
			const last = queue.findLast((waiting) => waiting.purpose === one);
			if (!last) continue;
			drop(last, error);
			return;
		}
		throw error;
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
		next(may) {
			const firstOf = (purpose: Turn["purpose"]) =>
				queue.find((waiting) => waiting.purpose === purpose && may(waiting));
			const asked = firstOf("request");
			if (asked) return asked;
			const [one, other] = turns;
			const first = firstOf(one) ?? firstOf(other);
			if (first) turns = first.purpose === "background" ? ENDLESS_FIRST : BACKGROUND_FIRST;
			return first;
		},
		waiting: () => [...queue],
		remove,
		drop,
	};
}
