/** What one taken request left of a client's allowance. */
export type LimiterAnswer = {
	allowed: boolean;
	/** Requests a window holds. */
	limit: number;
	/** Requests left in this window; 0 when refused. */
	remaining: number;
	/** Until the window ends and the whole allowance is back. */
	resetMs: number;
	/** How long a refused caller should wait; 0 when allowed. */
	retryAfterMs: number;
};

/**
 * Counts requests by client in a fixed window.
 *
 * A key is whatever the caller takes for one client; implementations neither parse nor log it.
 * Each implementation passes `limiterCases`.
 */
export type Limiter = {
	take(key: string): Promise<LimiterAnswer>;
	/**
	 * The same, without a wait: of a limiter that has to ask nobody. What it has counted, `take` must
	 * not count again.
	 */
	takeNow?(key: string): LimiterAnswer;
};
