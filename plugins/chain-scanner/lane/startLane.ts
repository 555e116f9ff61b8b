// Runs one lane of one chain: takes its lease, finds its place, recovers from failures.

import type { Head } from "#core/chain/heads/Head.ts";
import type { Lease } from "#core/lease.ts";
import { sleep, type Wakeable, wakeable } from "#core/time.ts";
import { takeBackEarly } from "#plugins/chain-scanner/early/storeEarly.ts";
import type { LaneOptions, LaneState, Position } from "#plugins/chain-scanner/lane/model.ts";
import {
	createLogWindow,
	type FailureKind,
	failureKind,
	gapDetail,
	gapReason,
} from "#plugins/chain-scanner/lane/pace.ts";
import { findPosition } from "#plugins/chain-scanner/lane/planRange.ts";
import { isNews, runLane } from "#plugins/chain-scanner/lane/runLane.ts";
import {
	ANSWER_BYTES_AIM,
	ANSWER_BYTES_AIM_SCARCE,
	EARLY_MS_MAX,
	GENTLE_ANSWER_BYTES_AIM,
	INCONSISTENT_BEFORE_WARNING,
	LANE_TIMES,
	type LaneTimes,
	LIVE_BLOCKS_MAX,
	RANGE_FAILURES_MAX,
	WINDOW_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";
import { noteLevel, readCursor, touchCursor } from "#plugins/chain-scanner/sql/cursor.ts";

export type Lane = {
	/** Sets the lane's head. The newest announcement counts, also when it is lower. */
	offerHead(head: Head): void;
	/** Makes the lane check whether another one has set its cursor back. */
	doubt(): void;
	/** Resolves when the signal aborted and nothing is under way any more. */
	done: Promise<void>;
};

type Running = { options: LaneOptions; state: LaneState; bell: Wakeable; leaseName: string };

const TOO_DEEP =
	"ALARM: more blocks left the chain than NFT_REORG_DEPTH_MAX; the lane stands still, and goes on " +
	"by itself if the old blocks come back. Check the RPC endpoints; see the scanner's README";

/** Runs one lane of one chain until the signal aborts. */
export function startLane(
	given: Omit<LaneOptions, "times"> & { times?: Partial<LaneTimes> },
): Lane {
	const options: LaneOptions = { ...given, times: { ...LANE_TIMES, ...given.times } };
	const state: LaneState = {
		head: null,
		headLowest: null,
		heardAtMs: null,
		level: null,
		window: createLogWindow(WINDOW_BLOCKS_MAX, () => answerBytesAim(options)),
		heldToken: null,
		restarted: true,
		position: null,
		soundAt: null,
		earlyTried: null,
		isDoubted: false,
		failures: 0,
		complained: false,
	};
	const leaseName = `lane:${options.chainId}:${options.source.kind}`;
	const lane: Running = { options, state, bell: wakeable(), leaseName };
	return {
		offerHead(head) {
			state.heardAtMs = options.clock.nowMs();
			if (head.hash === state.head?.hash) return;
			state.head = head;
			state.headLowest = Math.min(state.headLowest ?? head.number, head.number);
			lane.bell.ring();
		},
		doubt() {
			state.isDoubted = true;
			lane.bell.ring();
		},
		done: loop(lane),
	};
}

/**
 * Returns the size of answers to aim at. A lane that goes through history in order runs beside
 * others at the head: while it decodes 3 MB (40 ms, measured) no new block is handled.
 */
function answerBytesAim({ gate, source }: LaneOptions): number {
	if (gate && source.inOrder) return GENTLE_ANSWER_BYTES_AIM;
	return source.isScarce?.() ? ANSWER_BYTES_AIM_SCARCE : ANSWER_BYTES_AIM;
}

async function loop(lane: Running): Promise<void> {
	const { leases, log, signal } = lane.options;
	while (!signal.aborted) {
		try {
			await turn(lane);
			if (lane.state.complained) log.info("the lane goes on");
			lane.state.complained = false;
			lane.state.failures = 0;
		} catch (error) {
			if (!signal.aborted) await recover(lane, error);
		}
	}
	// The next process need not wait until the lease runs out.
	await leases.release(lane.leaseName).catch(() => {});
}

async function turn(lane: Running): Promise<void> {
	const { options, state, bell } = lane;
	const { times, signal } = options;
	const lease = await holdLease(lane);
	if (!lease) return sleep(times.leaseRetryMs, signal);
	if (state.head === null) return bell.wait(times.leaseRetryMs, signal);
	if (isMisplaced(state, state.head)) state.position = null;
	if (!state.position) await forgetEarly(options, lease);
	state.position ??= await findPosition(options, state, state.head.number);
	const at = state.position;
	state.soundAt = null;
	if (await leftTheChain(lane, at, lease)) return;
	// Only work near the head is urgent: a lane that catches up must not hold up the rest.
	const isNear = state.head.number - at.next < LIVE_BLOCKS_MAX;
	const leave = isNear && !options.source.inOrder ? options.gate?.enter() : undefined;
	let asksAtOnce = false;
	try {
		asksAtOnce = await runLane({ options, state, lease, at });
	} finally {
		leave?.();
	}
	const { head } = state;
	const isLevel = at.next > head.number && !isNews(at, head) && !asksAtOnce;
	if (!isLevel) return;
	// A block above the head cannot be verified: what is stored of it goes.
	if (at.early) state.position = null;
	else await rest(lane, at, head);
}

/**
 * Says whether a lane that has not written since its restart stands beyond the head, and not
 * because of its cursor: a false head has placed it there, and no block would ever come.
 */
function isMisplaced({ restarted, position }: LaneState, head: Head): boolean {
	if (!restarted || !position) return false;
	return position.next > head.number + 1 && position.next - 1 !== position.cursor;
}

/**
 * Takes the lane's lease; null while another process has it. A new one is a restart of the lane.
 */
async function holdLease({ options, state, leaseName }: Running): Promise<Lease | null> {
	const lease = await options.leases.hold(leaseName);
	if (!lease || lease.token !== state.heldToken) {
		state.position = null;
		state.restarted = true;
	}
	state.heldToken = lease?.token ?? null;
	return lease;
}

/** Removes early rows that the lane's former holder, or its former position, has left. */
async function forgetEarly(options: LaneOptions, lease: Lease): Promise<void> {
	const { db, chainId, source } = options;
	const stored = await readCursor(db, chainId, source.kind);
	if (!stored?.early) return;
	if (!(await takeBackEarly({ ...options, lane: source.kind }, lease))) return;
	options.pushed?.note("retracted");
	options.onTakenBack?.();
}

/**
 * Checks whether the index is still of the node's chain: when a lane begins, and when a head comes
 * that it was past already or that does not link. True when something had to be removed, or has
 * been: the lane then begins anew.
 */
async function leftTheChain(
	{ options, state }: Running,
	at: Position,
	lease: Lease,
): Promise<boolean> {
	const { head } = state;
	if (!head || at.cursor === null) return false;
	const { isDoubted } = state;
	state.isDoubted = false;
	if (at.sound !== null && !isNews(at, head)) {
		if (!isDoubted || !(await wasSetBack(options, at))) return false;
		beginAnew(state);
		return true;
	}
	const cause = state.failures > 0 || isNews(at, head) ? head : null;
	const { taken, soundAt } = await options.fork.check(lease, options.signal, cause);
	if (taken || (await wasSetBack(options, at))) {
		beginAnew(state);
		state.soundAt = soundAt;
		// Headers of the dead fork would cost another request.
		options.remembered?.clear();
		return true;
	}
	at.sound = head.hash;
	return false;
}

/**
 * Says whether another lane's repair has set this lane's cursor back since it was read. The index
 * is of the node's chain then, without this lane's blocks, and no later block need come to show it.
 */
async function wasSetBack({ db, chainId, source }: LaneOptions, at: Position): Promise<boolean> {
	const stored = await readCursor(db, chainId, source.kind);
	return stored?.blockNumber !== at.cursor || stored.blockHash !== at.cursorHash;
}

/**
 * Begins anew after blocks were removed, as the lane's cursor may then be far below: as after a
 * restart, the newest come first.
 */
function beginAnew(state: LaneState): void {
	state.position = null;
	state.restarted = true;
}

async function rest(lane: Running, at: Position, head: Head): Promise<void> {
	const { options, state, bell } = lane;
	await noteIdle(lane, at, head);
	await bell.wait(options.times.idleWaitMs, options.signal);
	// Without a new block nothing else would show it.
	if (state.head === head) state.isDoubted = true;
}

/** Stores that the head still is the lane's own block, where a while passed without a new one. */
async function noteIdle({ options, state }: Running, at: Position, head: Head): Promise<void> {
	const { heardAtMs, level } = state;
	const isOwn =
		head.number === at.cursor && (head.hash === at.cursorHash || head.hash === at.sound);
	if (!isOwn || heardAtMs === null) return;
	if (level?.block === head.number) {
		if (heardAtMs - level.atMs <= options.times.levelNotedMs) return;
		const { chainId, db, source } = options;
		await noteLevel(db, { chainId, lane: source.kind, block: head.number, atMs: heardAtMs });
	}
	// A new block was written a moment ago, which says as much.
	state.level = { block: head.number, atMs: heardAtMs };
}

/** Decides what a failure means: request less, skip a block, or wait and retry. */
async function recover(lane: Running, error: unknown): Promise<void> {
	const { options, state } = lane;
	const { times, signal, clock } = options;
	const failure = failureKind(error);
	options.onFailure(failure.code);
	// A remembered header may have been false.
	if (failure.kind !== "refused") options.remembered?.clear();
	const { position } = state;
	const early = position?.early;
	if (early && clock.nowMs() - early.atMs > EARLY_MS_MAX) state.position = null;
	let doublings = 0;
	if (failure.kind === "forked") {
		// Retried at once: clients may be seeing sales that never were.
		state.position = null;
		if (state.failures++ === 0) return;
		doublings = state.failures - 1;
	} else if (position?.asked && (failure.kind === "refused" || failure.kind === "contradicted")) {
		const { from, to } = position.asked;
		const blocks = to - from + 1;
		const { timesTooLarge, blocksMax } = failure;
		state.window.refused({ blocks, timesTooLarge, blocksMax });
		if (blocks > WINDOW_BLOCKS_MIN) return;
		doublings = position.refusals++;
		if (failure.kind !== "refused") {
			state.failures++;
			sayOnce(lane, failure, error);
			await noteHead(lane);
		}
		const isGivenUp = position.refusals >= RANGE_FAILURES_MAX;
		if (isGivenUp) return stepOver(lane, position, { failure, error });
		// A node that is between two forks, or behind by a moment, has time to come to itself.
		const waitMs = times.oddBlockWaitMs * 2 ** doublings;
		if (failure.kind !== "refused") return sleep(waitMs, signal);
	} else {
		const asked = position?.asked;
		// The lower part may be there where the whole is not yet.
		if (failure.kind === "lagging" && asked && asked.to > asked.from) {
			state.window.refused({ blocks: asked.to - asked.from + 1 });
		}
		doublings = state.failures++;
		forgetWhatMayBeWrong(lane, failure);
		sayOnce(lane, failure, error);
		await noteHead(lane);
	}
	await sleep(Math.min(times.retryMinMs * 2 ** doublings, times.retryMaxMs), signal);
}

/**
 * Makes a gap of the smallest range, which no reading made sense of, and goes on. Each
 * contradiction has put its endpoint last, so that the readings are of all that there are.
 */
function stepOver(
	{ options, state }: Running,
	at: Position,
	{ failure, error }: { failure: FailureKind; error: unknown },
): void {
	if (at.early) {
		// Backfill would only add to what is stored of the block.
		state.position = null;
		return;
	}
	const from = at.gap?.range.from ?? at.next;
	const to = at.next + WINDOW_BLOCKS_MIN - 1;
	const context = { block: at.next, code: failure.code, error };
	options.log.error("a block cannot be read; backfill owes it", context);
	at.gap = { range: { from, to }, reason: gapReason(failure), detail: gapDetail(error) };
	at.next = to + 1;
	at.refusals = 0;
}

function forgetWhatMayBeWrong({ options, state, leaseName }: Running, failure: FailureKind) {
	const { kind, code } = failure;
	if (kind === "fenced") options.leases.forget(leaseName);
	// Most often another lane's repair took it back.
	if (code === "lane_cursor_moved") beginAnew(state);
	// Before the first write even the head may have been false: the plan is made again with it.
	const isOfNode = kind === "away" || kind === "lagging";
	if (!isOfNode || state.restarted) state.position = null;
}

/**
 * Logs once for each outage. A node that is one block late is no outage, only one that stays late.
 */
function sayOnce({ options, state }: Running, { code }: FailureKind, error: unknown): void {
	const late = code === "rpc_inconsistent" && state.failures < INCONSISTENT_BEFORE_WARNING;
	if (late || state.complained) return;
	state.complained = true;
	if (code === "reorg_too_deep") options.log.error(TOO_DEEP, { code, error });
	else options.log.warn("the lane waits and tries again", { code, error });
}

/** Stores the head for a lane that cannot read: `freshness` then shows the lag. */
async function noteHead({ options, state }: Running): Promise<void> {
	if (state.head === null) return;
	const { chainId, db, source } = options;
	const touch = { chainId, lane: source.kind, headBlock: state.head.number };
	await touchCursor(db, touch).catch(() => {});
}
