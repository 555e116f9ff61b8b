/** One line of the report: a test, or a check such as the types. */
export type TestCase = {
	name: string;
	/** The `describe` it is in, or the group of checks. */
	classname: string;
	/** The file, from the root. */
	file: string;
	timeSeconds: number;
	outcome: "passed" | "failed" | "skipped";
	/** Why it failed or was skipped. */
	detail: string;
};
