/** One thing this process needs. `detail` is public: a state, never an error's text. */
export type ReadyComponent = { name: string; ready: boolean; detail?: string };

/**
 * Something that does not go as it should, and keeps nobody from being served. All of it is public:
 * never whose it is.
 */
export type Degradation = {
	/** Stable: alerts and people go by it. */
	code: string;
	count: number;
	oldestAgeSeconds: number;
	/** What an operator does about it, in a sentence. */
	action: string;
};

/** Whether this process may be sent requests, and by which of its parts not. */
export type ReadyReport = {
	ready: boolean;
	components: readonly ReadyComponent[];
	/** With the part that says so. Empty where nothing is wrong, and where nobody could look. */
	degraded: readonly (Degradation & { component: string })[];
};
