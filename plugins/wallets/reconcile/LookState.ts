/** What this process knows of its own looks at submissions. */
export type LookState = {
	/** Ids of those that it looks at now. */
	readonly underWay: Set<string>;
	/** Chains that could not be read when they were asked last, and since when (milliseconds). */
	readonly unreadSince: Map<number, number>;
};
