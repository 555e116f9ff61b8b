import type { Fault } from "#core/fault/Fault.ts";

/** The member of an operation's `detail` with its failures; the document shows them by status. */
export const FAILURES_MEMBER = "x-failures";

export type DocumentedFailure = { status: number; code: string; detail: string };

/**
 * Declares the Faults that an operation answers, for the OpenAPI document. Failures of every
 * operation (an invalid parameter, the limit, our own mistakes) are included without being named.
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
