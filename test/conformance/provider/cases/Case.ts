import type { ConformanceLab } from "#test/conformance/provider/lab/openConformanceLab.ts";

/** Which promise of the product a case is about. */
export type Point =
	| "every sync finishes"
	| "unknown is not zero"
	| "figures state their source"
	| "one registration path"
	| "payloads are clean"
	| "the minute is shared"
	| "one stat, pages, ids, pushes"
	| "chains and pauses"
	| "bad input"
	| "only documented calls";

/** One numbered case: a number is given once and never again. */
export type Case = {
	number: number;
	point: Point;
	name: string;
	run(lab: ConformanceLab): Promise<void>;
};
