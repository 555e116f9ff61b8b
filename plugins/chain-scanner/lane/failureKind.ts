// Sorts failures by how a lane must react to them.

import { isRowsRefused } from "#core/db/Database.ts";
import { AssertionFailed, Fault } from "#core/fault.ts";
import type { GapReason } from "#plugins/chain-scanner/sql/gap.ts";

/**
 * How a lane should react to a failure.
 *
 * - `refused`: the node or the database refused just this range. Less may pass; if one block alone
 *   does not, it is set aside.
 * - `away`: the node did not answer, lags or contradicts itself. The same request is repeated
 *   later.
 * - `fenced`: another process holds the lane now.
 * - `forked`: what was read is of another fork than what is stored. One of the two goes.
 * - `unplaced`: the database failed in a way that may hide a commit. The cursor is read again.
 */
export type FailureKind = {
	kind: "refused" | "away" | "fenced" | "forked" | "unplaced";
	/** For the metric: one of a few. */
	code: string;
	/** How many times larger than allowed a refused answer was, where that is known. */
	timesTooLarge?: number | undefined;
	/** How many blocks the node allows, where it says so. */
	blocksMax?: number | undefined;
};

/** Returns how a refused span is marked: by what refused it. */
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

/**
 * Says whether an error comes from a row that a sink or a table does not accept: it must not hold
 * up every block after it.
 */
function tripsSinks(error: unknown): boolean {
	if (error instanceof AssertionFailed || error instanceof TypeError) return true;
	return error instanceof RangeError || error instanceof SyntaxError;
}
