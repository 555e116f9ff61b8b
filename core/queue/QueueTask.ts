import type { z } from "zod";

/** Durable work: what was added is done, also after a restart, at least once. */
export type QueueTask<Payload extends z.ZodType = z.ZodType> = {
	/** Unique, `<plugin>.<what>`. */
	name: string;
	payload: Payload;
	/** Attempts in all, 25 at most; the distance between them grows from seconds to hours. */
	attemptsMax: number;
	timeoutMs: number;
	run(payload: z.output<Payload>, context: { signal: AbortSignal }): Promise<void>;
};
