import type { z } from "zod";

/** Workers of their own, so that long work of one kind does not keep all others waiting. */
export type QueueLane = { name: string; concurrency: number };

/** Durable work: what was added is done, also after a restart, at least once. */
export type QueueTask<Payload extends z.ZodType = z.ZodType> = {
	/** Unique, `<plugin>.<what>`. */
	name: string;
	payload: Payload;
	/** Attempts in all, 25 at most; the distance between them grows from seconds to hours. */
	attemptsMax: number;
	timeoutMs: number;
	/** Left out: it shares the ordinary workers. Tasks of one name share that lane's. */
	lane?: QueueLane;
	run(payload: z.output<Payload>, context: { signal: AbortSignal }): Promise<void>;
};
