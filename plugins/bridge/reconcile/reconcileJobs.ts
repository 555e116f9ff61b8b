// Runs the jobs that advance and follow bridges.

import { Fault } from "#core/fault.ts";
import type { Job } from "#core/schedule.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { advanceBridge } from "#plugins/bridge/bridges/advanceBridge.ts";
import {
	LOOK_TIMEOUT_MS,
	LOOKS_AT_ONCE_MAX,
	SILENT_LOOKS_MAX,
	TURN_BRIDGES_MAX,
	TURN_EVERY_MS,
} from "#plugins/bridge/limits.ts";
import { followBridge } from "#plugins/bridge/reconcile/followBridge.ts";
import {
	type Bridge,
	changeBridge,
	readBridge,
	readDueBridges,
} from "#plugins/bridge/sql/bridges.ts";

const TURN_TIMEOUT_MS = 30_000;
/** The delay after a lookup that failed: one bridge must not stop those behind it. */
const FAILED_LOOK_MS = 30_000;

/**
 * Returns the jobs that continue bridges by the clock: before the deposit by their intents, after
 * it by the provider's status. Polling is enough; webhooks only make it sooner.
 */
export function reconcileJobs(context: BridgeContext): Job[] {
	const { core } = context;
	const due = (isDeposited: boolean) =>
		readDueBridges(core.db, {
			...{ at: new Date(core.clock.nowMs()), limit: TURN_BRIDGES_MAX, isDeposited },
		});
	const terms = {
		schedule: { everyMs: TURN_EVERY_MS },
		lock: "cluster",
		timeoutMs: TURN_TIMEOUT_MS,
	} as const;
	return [
		{
			...{ name: "bridge.advance", ...terms },
			async run({ signal }) {
				await eachOf(context, await due(false), async ({ id }) => {
					await advanceBridge(context, { id, signal });
					return true;
				});
			},
		},
		{
			...{ name: "bridge.follow", ...terms },
			async run({ signal }) {
				await eachOf(context, await due(true), (bridge) => {
					const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
					return followBridge(context, bridge, within);
				});
			},
		},
	];
}

/**
 * Looks a bridge up that a webhook made due, without waiting for the next turn. It uses the same
 * budget as all polling; where that is used up, or anything else fails, the bridge is still due,
 * and the next turn looks it up.
 */
export async function lookNow(context: BridgeContext, bridgeId: string): Promise<void> {
	const { core, ending } = context;
	try {
		const bridge = await readBridge(core.db, bridgeId);
		if (!bridge || bridge.depositedAt === null || bridge.lookAt === null) return;
		const signal = AbortSignal.any([ending, AbortSignal.timeout(TURN_TIMEOUT_MS)]);
		await followBridge(context, bridge, signal);
	} catch (error) {
		if (isTooOften(error) || ending.aborted) return;
		core.log.warn("a bridge could not be looked at when it was told of", { bridgeId, error });
	}
}

/**
 * Works through bridges in their order, several at once, until the provider has no more to give:
 * those left over are first in the next turn, because their time to be looked at came first. One
 * that nobody answers about goes behind the others; many in a row, and the provider is away.
 */
async function eachOf(
	{ core }: BridgeContext,
	bridges: readonly Bridge[],
	look: (bridge: Bridge) => Promise<boolean>,
): Promise<void> {
	const waiting = [...bridges];
	let isOver = false;
	let silent = 0;
	async function work(): Promise<void> {
		for (;;) {
			const bridge = waiting.shift();
			if (!bridge || isOver) return;
			try {
				silent = (await look(bridge)) ? 0 : silent + 1;
				isOver ||= silent >= SILENT_LOOKS_MAX;
			} catch (error) {
				isOver ||= isTooOften(error);
				if (isTooOften(error)) continue;
				core.log.error("a bridge could not be looked at", { bridgeId: bridge.id, error });
				const lookAt = new Date(core.clock.nowMs() + FAILED_LOOK_MS);
				await changeBridge(core.db, bridge.id, { lookAt });
			}
		}
	}
	await Promise.all(Array.from({ length: LOOKS_AT_ONCE_MAX }, work));
}

/** Returns true for a Fault that says that nothing more may be asked now, of any bridge. */
function isTooOften(error: unknown): boolean {
	return error instanceof Fault && error.code === "rate_limited";
}
