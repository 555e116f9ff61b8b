import { LEAST_SHARE } from "#core/chain/rpc/budget/limits.ts";
import type { RpcRank } from "#core/chain/rpc/RpcPurpose.ts";

/** A waiting caller; `grant` is called once, with at least one call. */
export type Waiting = { calls: number; rank: RpcRank; grant(calls: number): void };

export type Turns = {
	add(waiting: Waiting): void;
	/** Removes a caller that gave up. */
	remove(waiting: Waiting): void;
	/** Returns whether a caller of the first rank waits. */
	isUrgent(): boolean;
	/** Returns the number of calls that are waited for. */
	wanted(): number;
	/**
	 * Grants at most this many calls; returns how many. A caller that got a part asks again for the
	 * rest.
	 */
	serve(calls: number): number;
};

const RANKS: readonly RpcRank[] = [1, 2, 3, 4, 5];

/**
 * Makes the queue of callers: the lowest rank first, and within a rank in order of arrival. Each
 * other waiting rank is owed a twentieth of what is served meanwhile, and gets it as soon as that
 * is a whole call: so none starves, and the first rank keeps at least four fifths.
 */
export function createTurns(): Turns {
	const queues = new Map<RpcRank, Waiting[]>(RANKS.map((rank) => [rank, []]));
	const owed = new Map<RpcRank, number>();
	const queueOf = (rank: RpcRank) => queues.get(rank) ?? [];

	return {
		add: (waiting) => void queueOf(waiting.rank).push(waiting),
		remove(waiting) {
			const queue = queueOf(waiting.rank);
			const place = queue.indexOf(waiting);
			if (place >= 0) queue.splice(place, 1);
		},
		isUrgent: () => queueOf(1).length > 0,
		wanted() {
			let sum = 0;
			for (const queue of queues.values()) for (const { calls } of queue) sum += calls;
			return sum;
		},
		serve(calls) {
			let left = calls;
			while (left > 0) {
				const next = nextOf();
				if (!next) break;
				const [first] = queueOf(next.rank).splice(0, 1);
				if (!first) break;
				const granted = Math.min(first.calls, left, next.most);
				left -= granted;
				settle(next.rank, granted);
				first.grant(granted);
			}
			return calls - left;
		},
	};

	function nextOf(): { rank: RpcRank; most: number } | null {
		const waiting = RANKS.filter((rank) => queueOf(rank).length > 0);
		const [first] = waiting;
		if (first === undefined) return null;
		const due = waiting.slice(1).find((rank) => (owed.get(rank) ?? 0) >= 1);
		if (due !== undefined) return { rank: due, most: Math.floor(owed.get(due) ?? 1) };
		// Cut where another rank becomes due: a large batch must not delay what is owed.
		const nearest = Math.max(0, ...waiting.slice(1).map((rank) => owed.get(rank) ?? 0));
		const isAlone = waiting.length === 1;
		return { rank: first, most: isAlone ? Infinity : Math.ceil((1 - nearest) / LEAST_SHARE) };
	}

	/** Charges the served rank and credits the waiting; a rank without callers is owed nothing. */
	function settle(served: RpcRank, granted: number): void {
		for (const rank of RANKS) {
			if (queueOf(rank).length === 0 && rank !== served) owed.delete(rank);
			else if (rank !== served) owed.set(rank, (owed.get(rank) ?? 0) + granted * LEAST_SHARE);
		}
		owed.set(served, Math.max((owed.get(served) ?? 0) - granted, 0));
	}
}
