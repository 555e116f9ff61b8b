/** Where a process is to die: before or after a step, when it comes there for the n-th time. */
export type KillPoint = { step: string; edge: "before" | "after"; nth: number };

/** What the test tells the process that it is going to kill. Its clock is set with each order. */
export type KillOrder = { clockOffsetMs: number } & (
	| { kind: "arm"; point: KillPoint | null }
	/** The jobs of the path that money leaves by have their turn. */
	| { kind: "tick" }
);

/** What it says. `reached` are edges since it was armed, such as `commit.create:before`. */
export type KillableReport =
	| { kind: "ready"; url: string }
	| { kind: "done"; reached: Record<string, number> };
