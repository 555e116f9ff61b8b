// Calls a bridge off for its owner, as long as nothing of it was sent.

import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { nextBridgeStatus } from "#plugins/bridge/bridgeStates.ts";
import { readSteps, seekDeposit } from "#plugins/bridge/bridges/signedStep.ts";
import { syncIntent } from "#plugins/bridge/bridges/syncIntent.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { type Bridge, lockBridge, moveBridge, readBridge } from "#plugins/bridge/sql/bridges.ts";
import { readHandOvers } from "#plugins/bridge/sql/quotes.ts";

/** What its owner called off. */
const CANCELLED = "cancelled";

/**
 * Calls a bridge off: what it has no intent for ends at once, else its intents are called off, the
 * one that deposits first. An allowance that was sent goes on; it can be taken back afterwards.
 * Throws `bridge_state` where the deposit was sent, handed over, or may have been.
 */
export async function cancelBridge(
	context: BridgeContext,
	bridge: Bridge,
	signal: AbortSignal,
): Promise<void> {
	const { core, steps, wallets } = context;
	// An owner's own wallet may have sent it without a word: the provider knows.
	await seekDeposit(context, bridge, signal);
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, bridge.id);
		if (!held || held.depositedAt !== null || !nextBridgeStatus(held.status, "cancel")) {
			throw bridgeFault.bridgeState();
		}
		if (!(await isSigned(context, tx, held)) && held.intentId !== null) return false;
		const at = new Date(core.clock.nowMs());
		const change = { errorCode: CANCELLED, detail: null, lookAt: null };
		await moveBridge(tx, held, { event: "cancel", at, change });
		return true;
	};
	if (await steps.run("bridge.close", () => core.db.transaction(act))) return;
	const held = (await readBridge(core.db, bridge.id)) ?? bridge;
	const by = { actor: `profile:${bridge.profileId}`, isUnsentOnly: true, signal };
	const [deposit, ...before] = await readSteps(context, held);
	try {
		if (deposit) await wallets.execution.cancel(deposit.id, by);
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		throw bridgeFault.bridgeState({
			public: "Its deposit was sent, or is being sent: it cannot be called off any more.",
		});
	}
	for (const { id } of before) {
		await wallets.execution.cancel(id, by).catch((error: unknown) => {
			// It was sent, or is over.
			if (!(error instanceof Fault)) throw error;
		});
	}
	await syncIntent(context, bridge.id);
}

/** Returns whether what was signed in place of a deposit is still here; throws where it is not. */
async function isSigned(context: BridgeContext, tx: Tx, held: Bridge): Promise<boolean> {
	const rows = await readHandOvers(tx, held.id);
	if (rows.some(({ state }) => state !== "ready")) throw bridgeFault.bridgeState();
	const [first] = rows;
	if (!first) return false;
	const intent = await context.wallets.execution.read(first.intentId, held.profileId);
	return intent?.status === "confirmed";
}
