// Runs a chain's backfill: drains the gaps of all lanes until it is stopped.

import type { Lease } from "#core/lease.ts";
import { createSerial, type Serial, sleep } from "#core/time.ts";
import {
	drainGap,
	forgetAhead,
	type GapDrain,
	setAside,
} from "#plugins/chain-scanner/lane/drainGap.ts";
import type { BackfillOptions } from "#plugins/chain-scanner/lane/model.ts";
import {
	backfillPace,
	createLogWindow,
	failureKind,
	gapDetail,
	gapReason,
} from "#plugins/chain-scanner/lane/pace.ts";
import {
	ANSWER_BYTES_AIM,
	GENTLE_ANSWER_BYTES_AIM,
	LANE_TIMES,
	RANGE_FAILURES_MAX,
	WINDOW_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/model.ts";

type Shared = { hold: () => Promise<Lease | null>; turns: Serial };

/**
 * Reads a chain's gaps, the newest blocks first, until the signal aborts. A gap shrinks in the
 * transaction that writes its content, so after a kill at any moment exactly the unread blocks are
 * left.
 *
 * Lanes are read side by side while no block is likely to come, and otherwise in turn.
 */
export async function startBackfill(options: BackfillOptions): Promise<void> {
	const { chainId, leases } = options;
	const name = backfillLease(chainId);
	const hold = sharedHold(options, name);
	const turns = createSerial();
	await Promise.all(options.sources.map((source) => drainLane(options, source, { hold, turns })));
	await leases.release(name).catch(() => {});
}

/**
 * Returns the name of the lease for draining what the chain's lanes owe: held by a service, or an
 * operator's command.
 */
export function backfillLease(chainId: number): string {
	return `backfill:${chainId}`;
}

/** Returns a function that takes the lease. Calls that overlap share one attempt and its result. */
function sharedHold({ leases }: BackfillOptions, name: string): () => Promise<Lease | null> {
	let holding: Promise<Lease | null> | null = null;
	return () => {
		holding ??= leases.hold(name).finally(() => {
			holding = null;
		});
		return holding;
	};
}

async function drainLane(
	options: BackfillOptions,
	source: LaneSource,
	{ hold, turns }: Shared,
): Promise<void> {
	const { signal, gate } = options;
	const times = { ...LANE_TIMES, ...options.times };
	const drain: GapDrain = {
		options: { ...options, times, source },
		windows: {
			calm: createLogWindow(WINDOW_BLOCKS_MAX, () => ANSWER_BYTES_AIM),
			gentle: createLogWindow(WINDOW_BLOCKS_MAX, () => GENTLE_ANSWER_BYTES_AIM),
		},
		...{ refusals: 0, failures: 0, gap: null, asked: null, soundAt: null, ahead: null },
	};
	// One lane's failure must not stop the other.
	const once = () => drainGap(drain, hold).catch((error) => recover(drain, hold, error));
	while (!signal.aborted) {
		const worked = await (backfillPace(gate).kind === "calm" ? once() : turns(once));
		if (!worked) await sleep(times.backfillIdleMs, signal);
	}
	forgetAhead(drain);
}

/** Handles a failure; returns whether to retry at once. */
async function recover(
	drain: GapDrain,
	hold: () => Promise<Lease | null>,
	error: unknown,
): Promise<boolean> {
	const { options, gap, asked } = drain;
	forgetAhead(drain);
	drain.soundAt = null;
	if (options.signal.aborted) return false;
	const { kind, code, timesTooLarge, blocksMax } = failureKind(error);
	options.onFailure(code);
	// A remembered header may have been false.
	if (kind !== "refused") options.remembered?.clear();
	if (kind === "fenced") options.leases.forget(backfillLease(options.chainId));
	// The next turn first checks what left the chain. Not at once again if that was not it.
	if (kind === "forked") return drain.failures++ === 0;
	if ((kind !== "refused" && kind !== "contradicted") || !gap || !asked) {
		drain.failures++;
		// Once for each outage: it may last for hours.
		if (drain.failures > 1) return false;
		options.log.warn("backfill waits and tries again", { lane: options.source.kind, code, error });
		return false;
	}
	const blocks = asked.to - asked.from + 1;
	if (blocks > WINDOW_BLOCKS_MIN) {
		const refused = { blocks, timesTooLarge, blocksMax };
		// A range that a node refuses it refuses at any pace.
		for (const window of Object.values(drain.windows)) window.refused(refused);
		return true;
	}
	drain.refusals++;
	if (!gap.tried && drain.refusals < RANGE_FAILURES_MAX) return false;
	drain.refusals = 0;
	const lease = await hold().catch(() => null);
	if (!lease) return false;
	const why = { reason: gapReason({ code }), detail: gapDetail(error) };
	return setAside(drain, { lease, gap, why, error }).catch(() => false);
}
