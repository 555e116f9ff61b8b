import { isRowsRefused } from "#core/db/Database.ts";
import { AssertionFailed, Fault } from "#core/fault.ts";
import { type Lease, requireLease } from "#core/lease.ts";
import { sleep } from "#core/time.ts";
import type {
	BackfillOptions,
	LaneOptions,
	LaneState,
	Position,
	RangePlan,
} from "#plugins/chain-scanner/lane/model.ts";
import {
	CALM_MS_MIN,
	GENTLE_ROWS_PER_WRITE_MAX,
	REST_MS_MAX,
	REST_SHARE,
	ROWS_PER_CALM_MS,
	ROWS_PER_WRITE_MAX,
	UNSETTLED_RANGE_MAX,
	WINDOW_BLOCKS_MAX,
} from "#plugins/chain-scanner/limits.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/model.ts";
import { type BlockRange, lockChain } from "#plugins/chain-scanner/sql/block.ts";
import { readCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { findOldOwed, type GapReason, giveUpGaps } from "#plugins/chain-scanner/sql/gap.ts";
import type { HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";

/** How backfill works at present. */
export type BackfillPace = {
	/**
	 * `calm`: no block is likely to need node, database and processor soon, so all of them are used.
	 * `gentle`: small parts with rests between them, one after the other.
	 */
	kind: "calm" | "gentle";
	/** Rows in one transaction, which cannot be interrupted once it holds the chain's lock. */
	rowsMax: number;
};

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

/** Where a lane begins after its process started. */
export type StartPlan = {
	/** The first block it reads. */
	next: number;
	/** What it leaves to backfill; null when nothing is skipped. */
	gap: BlockRange | null;
};

export type GiveUpOptions = Pick<
	BackfillOptions,
	"chainId" | "db" | "log" | "lagBlocksMax" | "onGivenUp"
> & { source: Pick<LaneSource, "kind"> };

/**
 * Plans the next range upward: wholly below the reach of reorgs, or wholly within it. Within it
 * ranges are short, because every block's header is read with them.
 */
export function planRange(ask: {
	from: number;
	head: number;
	blocksMax: number;
	reorgDepthMax: number;
}): RangePlan {
	const { from, head, blocksMax, reorgDepthMax } = ask;
	const unsettledFrom = head - reorgDepthMax + 1;
	if (from >= unsettledFrom) {
		const to = Math.min(from + Math.min(blocksMax, UNSETTLED_RANGE_MAX) - 1, Math.max(head, from));
		return { range: { from, to }, read: { unsettledFrom, settledBy: null } };
	}
	const to = Math.min(from + blocksMax - 1, unsettledFrom - 1);
	return { range: { from, to }, read: { unsettledFrom, settledBy: to + reorgDepthMax } };
}

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
 * Returns where a lane continues: at its cursor, or after a restart by the restart rule.
 *
 * The rule holds until a first write has committed. If it were dropped earlier, one failing write
 * after a long absence would send the lane through the whole span in order, away from the head.
 */
export async function findPosition(
	options: LaneOptions,
	state: LaneState,
	head: number,
): Promise<Position> {
	const { chainId, db, source, scanFrom, log } = options;
	const stored = await readCursor(db, chainId, source.kind);
	const cursor = stored?.blockNumber ?? null;
	const cursorHash = stored?.blockHash ?? null;
	const { soundAt } = state;
	const fresh = { cursorHash, sound: soundAt, asked: null, ahead: [], early: null, refusals: 0 };
	const goesOn = !state.restarted || source.inOrder === true;
	if (goesOn && cursor !== null) return { cursor, next: cursor + 1, gap: null, ...fresh };
	const at = cursor === null ? Math.min(state.headLowest ?? head, head) : head;
	const plan = planStart({ cursor, head: at, scanFrom });
	if (!plan.gap) return { cursor, next: plan.next, gap: null, ...fresh };
	log.warn("the lane was far behind; backfill owes the span", { ...plan.gap });
	return { cursor, next: plan.next, gap: { range: plan.gap, reason: "restart_behind" }, ...fresh };
}

/**
 * Plans a start at the head: a first start begins there, or where the operator said. A restart
 * continues from its cursor when it is at most one window behind; else it begins at the head, so
 * that the newest rows come first, and the span between becomes a gap.
 */
export function planStart(options: {
	cursor: number | null;
	head: number;
	scanFrom: number | null;
}): StartPlan {
	const { cursor, head, scanFrom } = options;
	if (cursor === null) return { next: scanFrom ?? head, gap: null };
	const behind = head - cursor;
	if (behind <= WINDOW_BLOCKS_MAX) return { next: cursor + 1, gap: null };
	return { next: head, gap: { from: cursor + 1, to: head - 1 } };
}

/**
 * Gives up blocks that are further below the index's newest block than backfill goes, and logs
 * which. A lane's own head is not used: a node that announces a block of the far future must not
 * make us forget what we owe.
 *
 * The transfer lane's owed blocks are never given up: owners are right only if no move is left out.
 */
export async function giveUpOld(options: GiveUpOptions, lease: Lease): Promise<void> {
	const { chainId, db, log, lagBlocksMax, onGivenUp, source } = options;
	const lane = source.kind;
	if (lagBlocksMax === undefined || lane === "transfer") return;
	const below = await findOldOwed(db, { chainId, lane, lagBlocksMax });
	if (below === null) return;
	const gone = await db.transaction(async (tx) => {
		await lockChain(tx, chainId);
		await requireLease(tx, lease);
		return giveUpGaps(tx, { chainId, lane, below });
	});
	for (const { from, to, reason } of gone) {
		const advice = `svc backfill --from ${from} --to ${to} reads them all the same`;
		log.warn("blocks are too old to be read; given up", { lane, from, to, reason, advice });
		onGivenUp?.({ lane, blocks: to - from + 1 });
	}
}

/**
 * Returns a function that less urgent work calls between small parts, beside a live head. It waits
 * until the head's lanes are done, and leaves node, database and processor some time for others. It
 * does not wait where no block is likely to come soon, or no lane follows the head.
 */
export function restBeside(gate: HeadGate | undefined, signal: AbortSignal): () => Promise<void> {
	let sinceMs = performance.now();
	return async () => {
		const workedMs = performance.now() - sinceMs;
		if (gate && backfillPace(gate).kind === "gentle") {
			await sleep(Math.min(workedMs * REST_SHARE, REST_MS_MAX), signal);
			await gate.idle(REST_MS_MAX);
		}
		sinceMs = performance.now();
	};
}

/** Decides by the chain's present head; calm where no lane follows it (no gate). */
export function backfillPace(gate: Pick<HeadGate, "calmForMs"> | undefined): BackfillPace {
	const calmMs = gate ? gate.calmForMs() : Number.POSITIVE_INFINITY;
	if (calmMs < CALM_MS_MIN) return { kind: "gentle", rowsMax: GENTLE_ROWS_PER_WRITE_MAX };
	return { kind: "calm", rowsMax: Math.min(calmMs * ROWS_PER_CALM_MS, ROWS_PER_WRITE_MAX) };
}

/**
 * Says whether an error comes from a row that a sink or a table does not accept: it must not hold
 * up every block after it.
 */
function tripsSinks(error: unknown): boolean {
	if (error instanceof AssertionFailed || error instanceof TypeError) return true;
	return error instanceof RangeError || error instanceof SyntaxError;
}
