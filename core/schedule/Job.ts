/** Work that a plugin does by itself, again and again. */
export type Job = {
	/** Unique in the process, `<plugin>.<what>`. */
	name: string;
	/** Five or six fields, UTC; or a fixed distance between starts. */
	schedule: { cron: string } | { everyMs: number };
	/** `cluster`: one process does each tick, whoever comes first. `process`: every process does. */
	lock: "cluster" | "process";
	/** Past this the run's signal aborts and the run counts as failed. */
	timeoutMs: number;
	run(context: { signal: AbortSignal }): Promise<void>;
};
