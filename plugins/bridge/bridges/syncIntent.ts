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
	const before = await stepBefore(context, intent);
	const asking = await wallets.execution.asking(intent);
	await core.db.transaction(async (tx) => {
		const held = await lockBridge(tx, id);
		if (!held || held.depositedAt !== null) return;
		const nowMs = core.clock.nowMs();
		const { nextMs, ...step } = stepOf(held, { intent, before, asking, nowMs });
		const lookAt = nextMs === null ? null : new Date(nowMs + nextMs);
		const change = { ...step.change, lookAt, depositHash: intent.transactionHash };
		const at = new Date(nowMs);
		const moved = await moveBridge(tx, held, { ...step, at, change });
		if (moved === null) await changeBridge(tx, id, { lookAt });
	});
}

/** The allowance before the deposit; null where there is none. */
async function stepBefore({ wallets }: BridgeContext, intent: Intent): Promise<Intent | null> {
	const { afterId, profileId } = intent;
	return afterId === null ? null : await wallets.execution.read(afterId, profileId);
}

type Given = { intent: Intent; before: Intent | null; asking: Intent; nowMs: number };

function stepOf(bridge: Bridge, given: Given): Step {
	const { intent, before, asking, nowMs } = given;
	const { status, errorCode } = intent;
	switch (status) {
		case "waiting":
			if (asking.status === "confirmation_required") return { event: "ask", nextMs: WAITING_MS };
			return { event: "execute", nextMs: MOVING_MS };
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
		case "expired":
			return endedStep(bridge, { code: errorCode ?? status, before });
		case "failed":
			return failedStep(bridge, intent, nowMs);
		default:
			return unreachable(status);
	}
}

/** Nothing was deposited. Behind an allowance that was sent, that is a failure and no refusal. */
function endedStep(
	{ heldAt }: Bridge,
	{ code, before }: { code: string; before: Intent | null },
): Step {
	const isSent = before !== null && ["confirmed", "failed"].includes(before.status);
	const inherited = code === "previous_step_failed" ? before?.errorCode : null;
	const change = { errorCode: inherited ?? code };
	if (isSent) return { event: "give_up", change, nextMs: null };
	return { event: heldAt === null ? "reject" : "disable", change, nextMs: null };
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
