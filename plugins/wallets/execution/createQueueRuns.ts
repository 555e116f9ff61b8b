/** What a run over a nonce queue ended with: `sending`: somebody else hands something over now. */
export type QueueRunEnd = "empty" | "sending" | "waiting";

/** Runs over nonce queues, one at a time for each queue of this process. */
export type QueueRuns = {
	/** Runs, or has the run that is under way begin once more. Done when nothing is left to do. */
	run(queue: string, act: () => Promise<QueueRunEnd>): Promise<void>;
	/** Whether somebody is or was at this queue and left it to whoever is handing over. */
	isWaited(queue: string): boolean;
};

/**
 * Serialises the work on each nonce queue within a process. Two of one queue at once would only
 * wait for each other's locks; one who comes meanwhile is taken along by a further turn.
 */
export function createQueueRuns(): QueueRuns {
	const running = new Map<string, { isAskedAgain: boolean; done: Promise<void> }>();
	const left = new Set<string>();

	async function turns(queue: string, act: () => Promise<QueueRunEnd>): Promise<void> {
		for (;;) {
			const end = await act();
			if (end === "sending") left.add(queue);
			else left.delete(queue);
			const run = running.get(queue);
			if (!run?.isAskedAgain) return;
			run.isAskedAgain = false;
		}
	}

	return {
		run(queue, act) {
			const already = running.get(queue);
			if (already) {
				already.isAskedAgain = true;
				return already.done;
			}
			const { promise: done, resolve, reject } = Promise.withResolvers<void>();
			running.set(queue, { isAskedAgain: false, done });
			turns(queue, act)
				.finally(() => running.delete(queue))
				.then(resolve, reject);
			return done;
		},
		isWaited: (queue) => left.has(queue) || running.has(queue),
	};
}
