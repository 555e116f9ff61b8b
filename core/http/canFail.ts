import type { Fault } from "#core/fault/Fault.ts";

/** What an operation says in its `detail` of how it can fail; the document shows it by status. */
export const FAILURES_MEMBER = "x-failures";

export type DocumentedFailure = { status: number; code: string; detail: string };

/**
 * Names the Faults that an operation answers, for the OpenAPI document. What every operation can
 * answer (an invalid parameter, the limit, our own mistakes) is there without being named.
 *
 * @example detail: { tags: ["market"], ...canFail(marketFault.notFound) }
 */
export function canFail(...makers: readonly (() => Fault)[]): {
	[FAILURES_MEMBER]: DocumentedFailure[];
} {
	return {
		[FAILURES_MEMBER]: makers.map((make) => {
			const { status, code, publicDetail } = make();
			return { status, code, detail: publicDetail };
		}),
	};
}
