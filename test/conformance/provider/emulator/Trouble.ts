import type { Call } from "#test/conformance/provider/emulator/Call.ts";

/** One way in which the provider misbehaves. */
export type Misbehaviour =
	| { kind: "slow"; ms: number }
	| {
			kind: "refuses";
			status: number;
			headers?: Record<string, string>;
			body: string;
			type?: string;
	  }
	/** A right answer under another `content-type`. */
	| { kind: "content_type"; type: string }
	/** Half of a right answer; then the connection ends. */
	| { kind: "cut_off" }
	| { kind: "text"; text: string; type?: string }
	/** A member of so many bytes beside the others. */
	| { kind: "huge"; bytes: number }
	/** What a page leads to is the page after the next one. */
	| { kind: "omits_pages" }
	/** Each page leads to itself, for ever. */
	| { kind: "repeats_pages" }
	/** Answers as it would have so long ago. */
	| { kind: "late"; ms: number }
	/** Changes a right answer on its way out. */
	| { kind: "changes"; change: (body: any, call: Call) => unknown };

export type Trouble = Misbehaviour & {
	/** Affects only calls whose path and query match; without it, all calls. */
	on?: RegExp;
	/** The fault ends after this number of calls; without it, when it is stopped. */
	times?: number;
};
