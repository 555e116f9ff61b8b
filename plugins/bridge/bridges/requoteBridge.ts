import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { BridgeContext } from "#plugins/bridge/BridgeContext.ts";
import { replaceQuote } from "#plugins/bridge/bridges/newerQuote.ts";
import { profileOf, recordDeposit } from "#plugins/bridge/bridges/recordDeposit.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { type Bridge, changeBridge, lockBridge } from "#plugins/bridge/sql/bridges.ts";
import { isUnsent } from "#plugins/bridge/states/bridgeStates.ts";
import type { Intent } from "#plugins/wallets/contract.ts";

/**
 * Quotes a bridge's route anew, where nothing of it was sent. What its owner's own wallet was asked
 * to sign is called off first, and asked for again by the newer quote: of two deposits that could
 * both be signed, the second would be a second payment.
 */
export async function requoteBridge(context: BridgeContext, bridge: Bridge): Promise<void> {
	const asked = await signableOf(context, bridge);
	const isSent = bridge.depositHash !== null || !(isUnsent(bridge.status) || asked);
	if (isSent) throw bridgeFault.requoteAfterSubmission();
	if (bridge.route === null) throw bridgeFault.quoteMissing();
	const denial = await replaceQuote(context, bridge, context.ending);
	if (denial) {
		const { code: errorCode, detail } = denial;
		throw bridgeFault.bridgeState({ public: detail, members: { errorCode } });
	}
	if (asked) await askAnew(context, bridge, asked);
}

/**
 * The intent that its owner's wallet is asked to sign first, as long as it was not signed; null
 * where it is none, or where a step before it was sent.
 */
async function signableOf(
	{ wallets }: BridgeContext,
	{ status, intentId, profileId }: Bridge,
): Promise<Intent | null> {
	if (status !== "signature_required" || intentId === null) return null;
	const deposit = await wallets.execution.read(intentId, profileId);
	if (!deposit) return null;
	const asking = await wallets.execution.asking(deposit);
	const isFirst = asking.afterId === null;
	return asking.status === "signature_required" && isFirst ? asking : null;
}

/**
 * Records the deposit anew in the place of the one before, and calls that off. The other way round
 * somebody could find a bridge whose deposit is called off, and end it. Where the one before was
 * signed meanwhile it stays, and the new one is called off instead.
 */
async function askAnew(context: BridgeContext, bridge: Bridge, asked: Intent): Promise<void> {
	const { wallets, ending } = context;
	const { intentId, profileId } = bridge;
	if (intentId === null) return;
	const next = await putDeposit(context, { bridge, before: intentId });
	const by = { actor: `profile:${profileId}`, isUnsentOnly: true, signal: ending };
	try {
		await wallets.execution.cancel(asked.id, by);
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		await putDeposit(context, { bridge, before: next, now: intentId });
		await wallets.execution.cancel(next, by);
		throw bridgeFault.requoteAfterSubmission();
	}
	await wallets.execution.advance([next], ending);
}

/** Has another intent deposit for a bridge: a new one, unless one is named. Returns its id. */
async function putDeposit(
	context: BridgeContext,
	{ bridge, before, now }: { bridge: Bridge; before: string; now?: string },
): Promise<string> {
	const { core, steps } = context;
	const profile = await profileOf(context, bridge.profileId);
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, bridge.id);
		// It was told of a signature in between.
		if (!held || held.intentId !== before || held.depositedAt !== null) {
			throw bridgeFault.bridgeState();
		}
		const intentId = now ?? (await recordDeposit(context, tx, { bridge: held, profile }));
		if (intentId === null) throw bridgeFault.quoteMissing();
		await changeBridge(tx, bridge.id, { intentId, lookAt: new Date(core.clock.nowMs()) });
		return intentId;
	};
	return await steps.run("bridge.begin", () => core.db.transaction(act));
}
