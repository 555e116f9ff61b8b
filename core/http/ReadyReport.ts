/**
 * The state of one thing that this process needs. `detail` is public: a state, never an error's
 * text.
 */
export type ReadyComponent = { name: string; ready: boolean; detail?: string };

/** A problem that does not stop the service. All of it is public, so it never names a user. */
export type Degradation = {
	/** Stable: alerts and people refer to it. */
	code: string;
	count: number;
	oldestAgeSeconds: number;
	/** What an operator should do, in one sentence. */
	action: string;
};

/** Whether this process may get requests, and which of its parts are not ready. */
export type ReadyReport = {
	ready: boolean;
	components: readonly ReadyComponent[];
	/**
	 * Each with the component that reports it. Empty if nothing is wrong, or nothing could be
	 * checked.
	 */
	degraded: readonly (Degradation & { component: string })[];
};
