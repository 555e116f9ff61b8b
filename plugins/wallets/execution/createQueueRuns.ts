/** What a run over a nonce queue ended with: `sending`: somebody else hands something over now. */
export type QueueRunEnd = "empty" | "sending" | "waiting";

/** Runs over nonce queues, one at a time for each queue of this process. */
export type QueueRuns = {
	/** Runs now, or once the run that is under way is over. Done when that run is. */
	run(queue: string, act: () => Promise<QueueRunEnd>): Promise<void>;
	/** Whether somebody is or was at this queue and left it to whoever is handing over. */
	isWaited(queue: string): boolean;
};

type Turn = PromiseWithResolvers<void> & { act: () => Promise<QueueRunEnd> };

/**
 * Serialises the work on each nonce queue within a process. Two of one queue at once would only
 * wait for each other's locks. All who come while one is under way share the turn after it, which
 * the last of them makes: what one of the others asked for may be given up by then.
 */
export function createQueueRuns(): QueueRuns {
	const running = new Map<string, { next: Turn | null }>();
	const left = new Set<string>();

	/** Answers how to tell those who wait for the turn. */
	async function take(queue: string, { act, resolve, reject }: Turn): Promise<() => void> {
		try {
			if ((await act()) === "sending") left.add(queue);
			else left.delete(queue);
			return resolve;
		} catch (error) {
			return () => reject(error);
		}
	}

	async function runTurns(queue: string, first: Turn): Promise<void> {
		const run: { next: Turn | null } = { next: null };
		running.set(queue, run);
		for (let turn: Turn | null = first; turn; ) {
			const tell = await take(queue, turn);
			turn = run.next;
			run.next = null;
			// In the same moment in which nobody else was found waiting.
			if (!turn) running.delete(queue);
			tell();
		}
	}

	return {
		run(queue, act) {
			const already = running.get(queue);
			const turn = already?.next ?? { ...Promise.withResolvers<void>(), act };
			turn.act = act;
			if (already) already.next = turn;
			else void runTurns(queue, turn);
			return turn.promise;
		},
		isWaited: (queue) => left.has(queue) || running.has(queue),
	};
}

/** The name of a nonce queue within a process. */
export function queueKey({ walletId, chainId }: { walletId: string; chainId: number }): string {
	return `${walletId} ${chainId}`;
}
