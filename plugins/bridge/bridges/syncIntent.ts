import { unreachable } from "#core/fault/unreachable.ts";
import { SECOND_MS } from "#core/time/units.ts";
import type { BridgeContext } from "#plugins/bridge/BridgeContext.ts";
import { FAILURE_OPEN_MS } from "#plugins/bridge/limits.ts";
import {
	type Bridge,
	type BridgeMove,
	changeBridge,
	lockBridge,
	moveBridge,
	readBridge,
} from "#plugins/bridge/sql/bridges.ts";
import type { Intent } from "#plugins/wallets/contract.ts";

/** How soon an intent that can move by itself is looked at again, and one that waits for people. */
const MOVING_MS = SECOND_MS;
const WAITING_MS = 5 * SECOND_MS;

type Step = Omit<BridgeMove, "at"> & { nextMs: number | null };

/**
 * Moves a bridge that has not deposited to where its intent is. The intent alone knows what was
 * sent; this writes it down for the bridge, and begins to follow the money once it is on chain.
 */
export async function syncIntent(context: BridgeContext, id: string): Promise<void> {
	const { core, wallets } = context;
	const bridge = await readBridge(core.db, id);
	if (!bridge || bridge.intentId === null || bridge.depositedAt !== null) return;
	const intent = await wallets.execution.read(bridge.intentId, bridge.profileId);
	if (!intent) return;
	await core.db.transaction(async (tx) => {
		const held = await lockBridge(tx, id);
		if (!held || held.depositedAt !== null) return;
		const nowMs = core.clock.nowMs();
		const { nextMs, ...step } = stepOf(held, intent, nowMs);
		const lookAt = nextMs === null ? null : new Date(nowMs + nextMs);
		const change = { ...step.change, lookAt, depositHash: intent.transactionHash };
		const at = new Date(nowMs);
		const moved = await moveBridge(tx, held, { ...step, at, change });
		if (moved === null) await changeBridge(tx, id, { lookAt });
	});
}

function stepOf(bridge: Bridge, intent: Intent, nowMs: number): Step {
	const { status, errorCode } = intent;
	switch (status) {
		case "created":
		case "submitting":
		case "submitted":
		case "review_required":
			return { event: "execute", nextMs: MOVING_MS };
		case "confirmation_required":
			return { event: "ask", nextMs: WAITING_MS };
		case "signature_required":
			return { event: "sign", nextMs: WAITING_MS };
		case "uncertain":
			return { event: "doubt", change: { errorCode: "submission_unknown" }, nextMs: WAITING_MS };
		case "dry_run":
			return { event: "hold", change: { errorCode: "dry_run" }, nextMs: null };
		case "confirmed": {
			const depositedAt = new Date(nowMs);
			return { event: "deposit", change: { depositedAt, errorCode: null }, nextMs: 0 };
		}
		case "rejected":
		case "expired": {
			const code = errorCode ?? status;
			if (bridge.heldAt !== null) {
				return { event: "disable", change: { errorCode: code }, nextMs: null };
			}
			return { event: "reject", change: { errorCode: code }, nextMs: null };
		}
		case "failed":
			return failedStep(bridge, intent, nowMs);
		default:
			return unreachable(status);
	}
}

/** It was paid for, and is not where it should be: that is a doubt. Else nothing was deposited. */
function failedStep({ failedAt }: Bridge, { errorCode }: Intent, nowMs: number): Step {
	if (errorCode === "deposit_missing") {
		return { event: "doubt", change: { errorCode }, nextMs: WAITING_MS };
	}
	// Its block may still leave the chain, and a hash may turn up after all.
	const since = failedAt ?? new Date(nowMs);
	const isOver = nowMs - since.getTime() > FAILURE_OPEN_MS;
	const change = { errorCode: errorCode ?? "failed", failedAt: since };
	return { event: "give_up", change, nextMs: isOver ? null : 60 * SECOND_MS };
}
