/** The most units of one kind that may be taken in a window. */
export type BudgetShare = {
	/** The kind: lower case letters. A constant of ours, and the same in every process. */
	of: string;
	/** Units of this kind that may be taken in any span of `windowMs`. */
	perWindow: number;
};

/** What a call costs, and how much of it there is. Every process must name the same terms. */
export type BudgetTerms = {
	/** Units this take costs: all of them or none. */
	amount: number;
	/** Units that may be taken in any span of `windowMs`, by all processes together. */
	perWindow: number;
	windowMs: number;
	/** The kinds that this take counts into beside the whole; each must have room for it. */
	shares?: readonly BudgetShare[];
};

export type BudgetAnswer = {
	granted: boolean;
	/** Units that could be taken now on these terms. */
	remaining: number;
	/** When the same take may succeed, if nobody else takes meanwhile; 0 when granted. */
	retryAfterMs: number;
};

/**
 * A shared allowance for calls to somebody else's server, which would refuse us, or ban us, if all
 * our processes together asked more often.
 *
 * The window slides: no minute, wherever it begins, sees more than a minute's worth. (A fixed one
 * lets twice as much through around its edge.) Each implementation passes `budgetCases`.
 */
export type Budget = {
	take(name: string, terms: BudgetTerms): Promise<BudgetAnswer>;
	/**
	 * Stops all grants under this name for `forMs`, in every process: the server refused. A pause
	 * that ends later stays.
	 */
	pause(name: string, forMs: number): Promise<void>;
};
