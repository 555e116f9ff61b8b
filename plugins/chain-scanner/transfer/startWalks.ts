// Runs a chain's walks, which read the past of contracts whose owners are kept.

import type { Queryable } from "#core/db/Database.ts";
import { type Lease, requireLease } from "#core/lease.ts";
import { sleep } from "#core/time.ts";
import { createLogWindow } from "#plugins/chain-scanner/lane/createLogWindow.ts";
import { failureKind } from "#plugins/chain-scanner/lane/failureKind.ts";
import {
	ANSWER_BYTES_AIM,
	GENTLE_ANSWER_BYTES_AIM,
	LIVE_BLOCKS_MAX,
	WALK_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";
import { lockChain } from "#plugins/chain-scanner/sql/block.ts";
import { readCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import {
	type WalkOptions,
	type WalkState,
	walkWindow,
} from "#plugins/chain-scanner/transfer/walkWindow.ts";

type Walking = {
	options: WalkOptions;
	state: WalkState;
	leaseName: string;
	/** When it was last asked which contracts should be watched. */
	choseAtMs: number;
	/** Failures in a row. */
	failures: number;
};

/**
 * Walks the watched contracts' histories, one at a time, until the signal aborts. The least urgent
 * work of a chain: while mints and sales catch up it waits.
 */
export async function startWalks(options: WalkOptions): Promise<void> {
	const { chainId, signal, leases } = options;
	const leaseName = `walk:${chainId}`;
	const state: WalkState = {
		windows: {
			calm: createLogWindow(WALK_BLOCKS_MAX, ANSWER_BYTES_AIM),
			gentle: createLogWindow(WALK_BLOCKS_MAX, GENTLE_ANSWER_BYTES_AIM),
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
