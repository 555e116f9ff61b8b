/** The point at which a process dies: before or after a step, the n-th time that it reaches it. */
export type KillPoint = { step: string; edge: "before" | "after"; nth: number };

/**
 * A message of the test to the process that it is going to kill. It also sets that process's clock.
 */
export type KillOrder = { clockOffsetMs: number } & (
	| { kind: "arm"; point: KillPoint | null }
	/** Runs the jobs of the execution path once. */
	| { kind: "tick" }
);

/**
 * A message of that process. `reached` counts the edges since it was armed, such as
 * `commit.create:before`.
 */
export type KillableReport =
	| { kind: "ready"; url: string }
	| { kind: "done"; reached: Record<string, number> };
