// Starts a chain's transfer lane, and the walks through the past of its contracts.

import type { Head } from "#core/chain/heads/Head.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Queryable } from "#core/db/Database.ts";
import { type Lease, requireLease } from "#core/lease.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import { sleep } from "#core/time.ts";
import type { LaneOptions } from "#plugins/chain-scanner/lane/model.ts";
import { createLogWindow, failureKind } from "#plugins/chain-scanner/lane/pace.ts";
import { startLane } from "#plugins/chain-scanner/lane/startLane.ts";
import type { UndecodedReport } from "#plugins/chain-scanner/laneHealth.ts";
import {
	ANSWER_BYTES_AIM,
	GENTLE_ANSWER_BYTES_AIM,
	LANE_TIMES,
	type LaneTimes,
	LIVE_BLOCKS_MAX,
	UNWATCHED_STRIDE_BLOCKS,
	WALK_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";
import { byDistance } from "#plugins/chain-scanner/range/sources.ts";
import { lockChain } from "#plugins/chain-scanner/sql/block.ts";
import { readCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import {
	type TransferSource,
	transferSource,
} from "#plugins/chain-scanner/transfer/transferSource.ts";
import {
	type WalkOptions,
	type WalkState,
	walkWindow,
} from "#plugins/chain-scanner/transfer/walkWindow.ts";

export type Transfers = {
	/** Reads the missing blocks below the lane. */
	owed: TransferSource;
	offerHead(head: Head): void;
	/** Resolves when the signal aborted and nothing is under way any more. */
	done: Promise<unknown>;
};

export type TransfersOptions = Omit<LaneOptions, "source" | "scanFrom" | "times"> &
	Pick<WalkOptions, "ownership"> & {
		access: Pick<ChainAccess, "rpcFor">;
		report: UndecodedReport;
		times?: Partial<LaneTimes>;
		onWalkFailure(code: string): void;
	};

type Walking = {
	options: WalkOptions;
	state: WalkState;
	leaseName: string;
	/** The time when contracts to watch were last chosen. */
	choseAtMs: number;
	/** Failures in a row. */
	failures: number;
};

/**
 * Starts everything that keeps a chain's owners: the transfer lane for present moves, walks for the
 * past. The lane begins at the head wherever other lanes begin: the rest is read by walks.
 *
 * While nothing is watched the lane gets a head only now and then: a lane without work must not
 * take the chain's lock at every block.
 */
export function startTransfers(options: TransfersOptions): Transfers {
	const { chainId, ownership, signal } = options;
	const times = { ...LANE_TIMES, ...options.times };
	let isWatching = true;
	let newest: Head | null = null;
	let offered: Head | null = null;
	const watchedNow = async () => {
		const watched = await ownership.watched(chainId);
		isWatching = watched.length > 0;
		return watched;
	};
	const make = (rpc: Rpc) => transferSource(rpc, options.report, watchedNow);
	const source = byDistance(options.access, make);
	const rpc = options.access.rpcFor("backfill");
	const owed = make(rpc);
	const lane = startLane({ ...options, source, scanFrom: null });
	const offer = () => {
		if (!newest || newest === offered) return;
		const strides = Math.abs(newest.number - (offered?.number ?? Number.NEGATIVE_INFINITY));
		if (!isWatching && strides < UNWATCHED_STRIDE_BLOCKS) return;
		offered = newest;
		lane.offerHead(newest);
	};
	/** Checks whether another process has begun to watch. */
	const look = async () => {
		while (!signal.aborted) {
			await sleep(times.walkChooseMs, signal);
			if (isWatching || signal.aborted) continue;
			await watchedNow().then(offer, () => {});
		}
	};
	const walks = startWalks({
		...options,
		rpc,
		source: owed,
		times,
		onWatched() {
			isWatching = true;
			offer();
		},
		onFailure: options.onWalkFailure,
	});
	return {
		owed,
		offerHead(head) {
			newest = head;
			offer();
		},
		done: Promise.all([lane.done, walks, look()]),
	};
}

/**
 * Walks the watched contracts' histories, one at a time, until the signal aborts. The least urgent
 * work of a chain: while mints and sales catch up it waits.
 */
export async function startWalks(options: WalkOptions): Promise<void> {
	const { chainId, signal, leases } = options;
	const leaseName = `walk:${chainId}`;
	const state: WalkState = {
		windows: {
			calm: createLogWindow(WALK_BLOCKS_MAX, () => ANSWER_BYTES_AIM),
			gentle: createLogWindow(WALK_BLOCKS_MAX, () => GENTLE_ANSWER_BYTES_AIM),
		},
		isUnsure: true,
		asked: null,
	};
	const walking: Walking = {
		options,
		state,
		leaseName,
		choseAtMs: Number.NEGATIVE_INFINITY,
		failures: 0,
	};
	while (!signal.aborted) {
		const restMs = await turn(walking).catch((error) => recover(walking, error));
		if (restMs > 0) await sleep(restMs, signal);
	}
	await leases.release(leaseName).catch(() => {});
}

/** Says whether the mint and the sale lane are near the head: while they are not, walks wait. */
export async function lanesAreLevel(db: Queryable, chainId: number): Promise<boolean> {
	const rows = await db.query<{ level: boolean }>(
		`select count(*) = 2 and coalesce(bool_and(head_block - block_number < $2), false) as level
		from chain_scanner.cursor where chain_id = $1 and lane in ('mint', 'sale')`,
		[chainId, LIVE_BLOCKS_MAX],
	);
	return rows[0]?.level ?? false;
}

/** Does one turn and returns how long to wait before the next, in ms. */
async function turn(walking: Walking): Promise<number> {
	const { options, state, leaseName } = walking;
	const { chainId, db, ownership, fork, signal, times, leases } = options;
	state.asked = null;
	const lease = await leases.hold(leaseName);
	if (!lease) return times.leaseRetryMs;
	if (!(await lanesAreLevel(db, chainId))) return times.walkIdleMs;
	await choose(walking, lease);
	const walk = await ownership.nextWalk(chainId);
	if (!walk) {
		walking.failures = 0;
		return times.walkIdleMs;
	}
	// Blocks that left the chain are removed first: the walk may have read some of them. Checked
	// once: a part that does not link to what is stored is refused when it is written, and then it is
	// checked again.
	if (state.isUnsure && (await fork.check(lease, signal)).taken) return 0;
	state.isUnsure = false;
	await walkWindow(options, state, { walk, lease });
	walking.failures = 0;
	return 0;
}

/** Starts watching contracts that should be: their walks end where the transfer lane is. */
async function choose(walking: Walking, lease: Lease): Promise<void> {
	const { chainId, db, ownership, clock, times, onWatched } = walking.options;
	const nowMs = clock.nowMs();
	if (nowMs - walking.choseAtMs < times.walkChooseMs) return;
	const wanted = await ownership.wanted(chainId);
	if (wanted.length === 0) {
		walking.choseAtMs = nowMs;
		return;
	}
	await db.transaction(async (tx) => {
		await lockChain(tx, chainId);
		await requireLease(tx, lease);
		const cursor = await readCursor(tx, chainId, "transfer");
		if (cursor) await ownership.watch(tx, { chainId, wanted, cursor: cursor.blockNumber });
		else walking.choseAtMs = nowMs;
	});
	onWatched();
}

async function recover(walking: Walking, error: unknown): Promise<number> {
	const { options, state, leaseName } = walking;
	const { signal, times, leases, log, ownership } = options;
	if (signal.aborted) return 0;
	state.isUnsure = true;
	const { kind, code, timesTooLarge } = failureKind(error);
	options.onFailure(code);
	// A remembered header may have been false.
	if (kind !== "refused") options.remembered?.clear();
	if (kind === "fenced") leases.forget(leaseName);
	// The next turn first checks what left the chain. Not at once again if that was not it.
	if (kind === "forked" && walking.failures++ === 0) return 0;
	if (kind === "refused" && state.asked) {
		const { walk, range } = state.asked;
		const blocks = range.to - range.from + 1;
		if (blocks > WINDOW_BLOCKS_MIN) {
			// A range that a node refuses it refuses at any pace.
			for (const window of Object.values(state.windows)) window.refused({ blocks, timesTooLarge });
			return 0;
		}
		log.error("a walk cannot get past a block, and rests", {
			...walk,
			block: range.from,
			code,
			error,
		});
		await ownership.rest(walk, times.refusedRestMs).catch(() => {});
	}
	// Once for each outage: it may last for hours.
	if (walking.failures++ === 0) log.warn("walks wait and try again", { code, error });
	return Math.min(times.retryMinMs * 2 ** walking.failures, times.retryMaxMs);
}
