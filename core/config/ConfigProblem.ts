/** One thing an operator has to correct before the service starts. */
export type ConfigProblem = {
	variable: string;
	owner: string;
	/** The value as it may be shown; undefined where the variable is not set. */
	got: string | undefined;
	/** What the variable takes, in human words. */
	expected: string;
	/** What exactly is wrong, where `expected` does not say it already. */
	because: readonly string[];
};
