import { isRowsRefused } from "#core/db/isRowsRefused.ts";
import { AssertionFailed } from "#core/fault/assert.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { GapReason } from "#plugins/chain-scanner/sql/gap.ts";

/**
 * What a lane should make of a failure.
 *
 * - `refused`: the node or the database said no to just this range. Less may pass; when one block
 *   alone does not, it is set aside.
 * - `away`: the node did not answer, lags or contradicts itself. The same question, later.
 * - `fenced`: another process holds the lane now.
 * - `forked`: what was read is of another fork than what is stored. One of the two goes.
 * - `unplaced`: the database failed in a way that may hide a commit. Read the cursor again.
 */
export type FailureKind = {
	kind: "refused" | "away" | "fenced" | "forked" | "unplaced";
	/** For the metric: one of a few. */
	code: string;
	/** Of a refused answer: how many times larger than allowed it was, where that is known. */
	timesTooLarge?: number | undefined;
	/** Of a refused answer: how many blocks the node allows, where it says so. */
	blocksMax?: number | undefined;
};

/** How a refused span is marked: by whom it was refused. */
export function gapReason({ code }: { code: string }): GapReason {
	return code === "rpc_range" ? "range_refused" : "rows_refused";
}

export function failureKind(error: unknown): FailureKind {
	if (error instanceof Fault) {
		const { code } = error;
		if (code === "rpc_range") {
			const { timesTooLarge, rangeBlocksMax } = error.meta;
			return {
				kind: "refused",
				code,
				...(typeof timesTooLarge === "number" && { timesTooLarge }),
				...(typeof rangeBlocksMax === "number" && { blocksMax: rangeBlocksMax }),
			};
		}
		if (code === "fenced") return { kind: "fenced", code };
		if (code === "lane_forked") return { kind: "forked", code };
		return { kind: code.startsWith("rpc_") ? "away" : "unplaced", code };
	}
	if (tripsSinks(error) || isRowsRefused(error)) return { kind: "refused", code: "rows_refused" };
	return { kind: "unplaced", code: "unexpected" };
}

/** One row that trips a sink, or that no table takes, must not hold up every block after it. */
function tripsSinks(error: unknown): boolean {
	if (error instanceof AssertionFailed || error instanceof TypeError) return true;
	return error instanceof RangeError || error instanceof SyntaxError;
}
