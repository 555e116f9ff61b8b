import type { ProviderPush } from "#plugins/provider/contract.ts";
import type { Queued } from "#plugins/provider/stream/deliver/createPushLines.ts";
import { type Settled, settleWithin } from "#plugins/provider/stream/deliver/settleWithin.ts";
import { FAILED_IN_A_ROW_MAX, PUSH_TIMEOUT_MS } from "#plugins/provider/stream/limits.ts";
import type { Timers } from "#plugins/provider/stream/Timers.ts";

/** Takes some pushes of one collection, in the order of arrival. */
export type PushListener = (pushes: readonly ProviderPush[]) => Promise<void>;

/** Why a listener did not take a push; null where another failure explains it. */
export type Refusal = Exclude<Settled, { kind: "done" }> | null;

/**
 * Hands pushes to a listener, and failed ones again in halves, so that a push which cannot be
 * stored costs only itself. After several failures in a row the pushes are not to blame (the
 * database is away): the rest is lost without a further try.
 */
export async function handOnParts(
	hear: PushListener,
	queued: readonly Queued[],
	options: {
		timers: Timers;
		onHandled(pushes: number): void;
		onLost(part: readonly Queued[], why: Refusal): void;
	},
): Promise<void> {
	const { timers, onHandled, onLost } = options;
	/** Parts that are still to be handed on, the next one last. */
	const parts = [queued];
	let failedInARow = 0;
	for (let part = parts.pop(); part; part = parts.pop()) {
		if (failedInARow >= FAILED_IN_A_ROW_MAX) {
			onLost(part, null);
			continue;
		}
		const pushes = part.map(({ push }) => push);
		const run = () => hear(pushes);
		const settled = await settleWithin(run, { timers, timeoutMs: PUSH_TIMEOUT_MS });
		if (settled.kind === "done") {
			failedInARow = 0;
			onHandled(part.length);
		} else if (settled.kind === "failed" && part.length > 1) {
			const half = Math.ceil(part.length / 2);
			parts.push(part.slice(half), part.slice(0, half));
		} else {
			failedInARow += 1;
			onLost(part, settled);
		}
	}
}
