import { sleep } from "#core/time/sleep.ts";
import type { BackfillOptions } from "#plugins/chain-scanner/lane/BackfillOptions.ts";
import { backfillLease } from "#plugins/chain-scanner/lane/backfillLease.ts";
import { createLogWindow } from "#plugins/chain-scanner/lane/createLogWindow.ts";
import { drainGap, type GapDrain, setAside } from "#plugins/chain-scanner/lane/drainGap.ts";
import { failureKind, gapReason } from "#plugins/chain-scanner/lane/failureKind.ts";
import {
	ANSWER_BYTES_AIM,
	GENTLE_ANSWER_BYTES_AIM,
	LANE_TIMES,
	RANGE_FAILURES_MAX,
	WINDOW_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";

/**
 * Drains a chain's gaps, the newest blocks first, until the signal aborts. A gap shrinks in the
 * transaction that writes what it held, so a kill at any moment leaves exactly what is owed.
 */
export async function startBackfill(options: BackfillOptions): Promise<void> {
	const { chainId, signal, leases } = options;
	const times = { ...LANE_TIMES, ...options.times };
	const name = backfillLease(chainId);
	const drains = options.sources.map((source): GapDrain => {
		const shared = { ...options, times, source };
		const aim = options.gate ? GENTLE_ANSWER_BYTES_AIM : ANSWER_BYTES_AIM;
		const window = createLogWindow(WINDOW_BLOCKS_MAX, aim);
		const fresh = { window, refusals: 0, failures: 0, gap: null, asked: null };
		return { options: shared, ...fresh };
	});
	while (!signal.aborted) {
		let worked = false;
		for (const drain of drains) {
			if (signal.aborted) break;
			// One lane's trouble is not the other's.
			const drained = await drainGap(drain, () => leases.hold(name)).catch((error) =>
				recover(drain, name, error),
			);
			worked ||= drained;
		}
		if (!worked) await sleep(times.backfillIdleMs, signal);
	}
	await leases.release(name).catch(() => {});
}

/** Answers whether it is worth asking again at once. */
async function recover(drain: GapDrain, leaseName: string, error: unknown): Promise<boolean> {
	const { options, gap, asked } = drain;
	if (options.signal.aborted) return false;
	const { kind, code, timesTooLarge, blocksMax } = failureKind(error);
	options.onFailure(code);
	if (kind === "fenced") options.leases.forget(leaseName);
	// The next turn asks first what left the chain. Not at once again if that was not it.
	if (kind === "forked") return drain.failures++ === 0;
	if (kind !== "refused" || !gap || !asked) {
		drain.failures++;
		// Once for each outage: it may last for hours.
		if (drain.failures > 1) return false;
		options.log.warn("backfill waits and tries again", { lane: options.source.kind, code, error });
		return false;
	}
	const blocks = asked.to - asked.from + 1;
	if (blocks > WINDOW_BLOCKS_MIN) {
		drain.window.refused({ blocks, timesTooLarge, blocksMax });
		return true;
	}
	drain.refusals++;
	if (!gap.tried && drain.refusals < RANGE_FAILURES_MAX) return false;
	drain.refusals = 0;
	const lease = await options.leases.hold(leaseName).catch(() => null);
	if (!lease) return false;
	const aside = await setAside(drain, { lease, gap, code: gapReason({ code }), error }).catch(
		() => false,
	);
	return aside;
}
