import type { Tx } from "#core/db/Database.ts";

export type NewJob = {
	task: string;
	payload: unknown;
	/** A job with the same key that has not begun is replaced, so one thing queues once. */
	key: string;
	/** Lower runs first. 0 is ordinary, 10 can wait. */
	priority?: number;
	/** Not before this long from now. */
	delayMs?: number;
	/** A waiting job with the same key keeps the time it was to run at. */
	keepsTime?: boolean;
};

/** Puts durable work in line. It joins the transaction: no commit, no job. */
export type JobQueue = {
	add(tx: Tx, jobs: readonly NewJob[]): Promise<void>;
};
