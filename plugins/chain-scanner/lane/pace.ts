// Decides how a lane continues: how much it requests, when it rests, and what a failure means.

import { isRowsRefused } from "#core/db/Database.ts";
import { AssertionFailed, Fault } from "#core/fault.ts";
import { type Lease, requireLease } from "#core/lease.ts";
import { sleep } from "#core/time.ts";
import type { BackfillOptions, LogWindow } from "#plugins/chain-scanner/lane/model.ts";
import {
	ANSWER_BYTES_AIM,
	CALM_MS_MIN,
	GENTLE_ROWS_PER_WRITE_MAX,
	LOGS_PER_QUERY_MAX,
	PATIENCE_WINDOWS_MAX,
	REST_MS_MAX,
	REST_SHARE,
	ROWS_PER_CALM_MS,
	ROWS_PER_WRITE_MAX,
	WINDOW_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";
import type { BlockLoad, LaneSource } from "#plugins/chain-scanner/range/model.ts";
import { lockChain } from "#plugins/chain-scanner/sql/block.ts";
import { findOldOwed, type GapReason, giveUpGaps } from "#plugins/chain-scanner/sql/gap.ts";
import type { HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";

/** Says how backfill works at present. */
export type BackfillPace = {
	/**
	 * `calm`: no block is likely to need node, database and processor soon, so all of them are used.
	 * `gentle`: small parts with rests between them, one after the other.
	 */
	kind: "calm" | "gentle";
	/** Rows in one transaction, which cannot be interrupted once it holds the chain's lock. */
	rowsMax: number;
};

/** Contradictions of a node about blocks that it has. */
const CONTRADICTIONS: ReadonlySet<unknown> = new Set([
	"hash_mismatch",
	"duplicate_log",
	"foreign_log",
	"missing_logs",
	"malformed",
]);
/** Characters of a gap's detail. */
const GAP_DETAIL_LENGTH_MAX = 200;

export type GiveUpOptions = Pick<
	BackfillOptions,
	"chainId" | "db" | "log" | "lagBlocksMax" | "onGivenUp"
> & { source: Pick<LaneSource, "kind"> };

/**
 * How a lane should react to a failure.
 *
 * - `refused`: the node or the database refused just this range. Less may pass; if one block alone
 *   does not, it is set aside.
 * - `contradicted`: what the node says of this range does not hold together, or it does not serve
 *   what belongs to it. Less is asked for, and of another endpoint; one block alone that no reading
 *   makes sense of is set aside.
 * - `lagging`: the node lacked a part of the range. Less may be there.
 * - `away`: the node did not answer, does not have the range yet, or is between two forks. The same
 *   request is repeated later.
 * - `fenced`: another process holds the lane now.
 * - `forked`: what was read is of another fork than what is stored. One of the two goes.
 * - `unplaced`: the database failed in a way that may hide a commit. The cursor is read again.
 */
export type FailureKind = {
	kind: "refused" | "contradicted" | "lagging" | "away" | "fenced" | "forked" | "unplaced";
	/** The error's code in metrics: one of a few. */
	code: string;
	/** The ratio of a refused answer's size to the allowed one, where it is known. */
	timesTooLarge?: number | undefined;
	/** The number of blocks that the node allows, where it names it. */
	blocksMax?: number | undefined;
};

/**
 * Gives up blocks that are further below the index's newest block than backfill goes, and logs
 * which. A lane's own head is not used: a node that announces a block of the far future must not
 * make us forget missing blocks.
 *
 * The transfer lane's missing blocks are never given up: owners are right only if no move is left
 * out.
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
 * Makes a window that starts at its widest, for a lane 1,000 blocks. It is halved when a query
 * returned more than 10,000 logs or a range was refused; doubled again, up to its widest, while
 * full windows leave room for it. It is never larger than what, at the last blocks' size, fits into
 * one answer: a refused answer is wasted, and costs the node as much as an accepted one. Backfill
 * beside a live head aims lower: while a large answer is decoded, nothing else is.
 *
 * A refused width is remembered: the window does not grow back to it until full windows contained
 * so little that the chain must have changed. Without that it would be refused at every second
 * request.
 */
export function createLogWindow(
	widest = WINDOW_BLOCKS_MAX,
	answerBytesAim: () => number = () => ANSWER_BYTES_AIM,
): LogWindow {
	const roomFor = ({ blocks, answerBytes }: BlockLoad) =>
		answerBytes === 0 ? widest : (answerBytesAim() * blocks) / answerBytes;
	let blocks = widest;
	let blocksMax = widest;
	let isMeasured = false;
	/** Full windows with little content that must come before a refused width is tried again. */
	let patience = 1;
	let quiet = 0;
	return {
		get blocks() {
			return blocks;
		},
		get isMeasured() {
			return isMeasured;
		},
		answered(load) {
			isMeasured = true;
			const fitting = Math.max(WINDOW_BLOCKS_MIN, Math.floor(roomFor(load)));
			if (load.blocks >= blocks) {
				if (load.logCount > LOGS_PER_QUERY_MAX) {
					blocks = Math.min(blocks, halved(load.blocks, 1));
				} else if (load.logCount * 2 <= LOGS_PER_QUERY_MAX && blocks * 2 <= fitting) {
					if (blocks === blocksMax && blocks * 8 <= fitting && ++quiet >= patience) {
						blocksMax = Math.min(widest, blocksMax * 2);
						quiet = 0;
					}
					blocks = Math.min(blocksMax, blocks * 2);
				}
			}
			blocks = Math.min(blocks, fitting);
		},
		refused(asked) {
			// By the requested width: a range that the head cut short says nothing about a wide window.
			let times = 1;
			for (let left = (asked.timesTooLarge ?? 1) / 2; left > 1; left /= 2) times++;
			// Ranges requested ahead have the former width, and were refused for that.
			const less = Math.min(blocks, halved(asked.blocks, times));
			// A provider that states its limit of blocks says more than could be learned.
			const statedMax = asked.blocksMax ?? 0;
			const isStated = statedMax >= WINDOW_BLOCKS_MIN && statedMax < asked.blocks;
			// Some state the same for every chain, forever: each time it is tried less often.
			if (isStated) patience = Math.min(patience * 2, PATIENCE_WINDOWS_MAX);
			blocks = isStated ? Math.min(blocks, statedMax) : less;
			blocksMax = blocks;
			quiet = 0;
		},
	};
}

function halved(blocks: number, times: number): number {
	return Math.max(WINDOW_BLOCKS_MIN, Math.floor(blocks / 2 ** times));
}

/** Returns how a refused span is marked: by what refused it. */
export function gapReason({ code }: { code: string }): GapReason {
	if (code === "rpc_inconsistent") return "contradicted";
	return code === "rpc_range" ? "range_refused" : "rows_refused";
}

/** Returns what is stored of why a block was set aside: the words of the last failure. */
export function gapDetail(error: unknown): string {
	const said = error instanceof Fault ? (error.privateDetail ?? error.message) : String(error);
	return said.slice(0, GAP_DETAIL_LENGTH_MAX);
}

export function failureKind(error: unknown): FailureKind {
	if (error instanceof Fault) {
		const { code } = error;
		if (code === "rpc_inconsistent") {
			const { kind, unserved, torn, forked } = error.meta;
			// Headers that do not link are of two forks: no block of them is odd by itself.
			const isOdd = CONTRADICTIONS.has(kind) && forked !== true;
			if (isOdd || unserved === true) return { kind: "contradicted", code };
			return { kind: torn === true ? "lagging" : "away", code };
		}
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
