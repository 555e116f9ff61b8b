// Moves a bridge that has not deposited to the state of its intent, and cancels it for its owner.

import type { Tx } from "#core/db/Database.ts";
import { Fault, unreachable } from "#core/fault.ts";
import { MINUTE_MS, SECOND_MS } from "#core/time.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { BRIDGE_AUTHORIZE } from "#plugins/bridge/bridges/authorizeKind.ts";
import { readMinedAt } from "#plugins/bridge/bridges/secondDeposit.ts";
import { maySendItself, readSteps, seekDeposit } from "#plugins/bridge/bridges/signedStep.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { FAILURE_OPEN_MS, lateMs } from "#plugins/bridge/limits.ts";
import { nextBridgeStatus } from "#plugins/bridge/model.ts";
import {
	type Bridge,
	type BridgeMove,
	changeBridge,
	lockBridge,
	moveBridge,
	readBridge,
} from "#plugins/bridge/sql/bridges.ts";
import { readHandOvers } from "#plugins/bridge/sql/quotes.ts";
import { readSecondHashes } from "#plugins/bridge/sql/secondDeposits.ts";
import type { Intent } from "#plugins/wallets/contract.ts";

/** The delay until the next lookup of an intent that moves by itself, and of one that waits. */
const MOVING_MS = SECOND_MS;
const WAITING_MS = 5 * SECOND_MS;
const SIGNING_MS = 2 * SECOND_MS;
/** The delay between lookups of a signature that was not reported: at first, and later. */
const LATE_MS = MINUTE_MS;
const LATER_MS = 10 * MINUTE_MS;
const MISSING = "deposit_missing";
const CANCELLED = "cancelled";
/** Statuses of an allowance that is, or may be, in force. */
const SENT: readonly string[] = ["submitting", "submitted", "uncertain", "confirmed", "failed"];

type Step = Omit<BridgeMove, "at"> & { nextMs: number | null };

type Given = {
	intent: Intent;
	before: Intent | null;
	asking: Intent;
	/** When the block of its deposit was made; null: there is none, or no node says so now. */
	minedAt: Date | null;
	/** The owner's own wallet may have sent it without a word. */
	isOwners: boolean;
	nowMs: number;
};

/**
 * Moves a bridge that has not deposited to where its intent is. The intent alone knows what was
 * sent; this writes it down for the bridge, and begins to follow the money once it is on chain.
 */
export async function syncIntent(
	context: BridgeContext,
	id: string,
	signal: AbortSignal,
): Promise<void> {
	const { core, wallets, steps } = context;
	const bridge = await readBridge(core.db, id);
	if (!bridge || bridge.intentId === null || bridge.depositedAt !== null) return;
	const intent = await wallets.execution.read(bridge.intentId, bridge.profileId);
	// What is signed and not sent moves by what becomes of its signature.
	const isSigned = intent?.kind === BRIDGE_AUTHORIZE && intent.status === "confirmed";
	if (!intent || isSigned) return;
	const before = await stepBefore(context, intent);
	const asking = await wallets.execution.asking(intent);
	const minedAt = await depositTime(context, { bridge, intent, signal });
	const isOver = intent.status === "rejected" || intent.status === "expired";
	const isOwners = isOver && (await maySendItself(context, bridge));
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, id);
		if (!held || held.depositedAt !== null || held.intentId !== intent.id) return;
		const nowMs = core.clock.nowMs();
		const at = new Date(nowMs);
		const { transactionHash: hash } = intent;
		// It is followed already: the provider named it before the wallet's node did.
		if (hash !== null && (await readSecondHashes(tx, id)).includes(hash)) {
			return await changeBridge(tx, id, { lookAt: null, stoppedAt: at });
		}
		const given = { intent, before, asking, minedAt, isOwners, nowMs };
		const { nextMs, ...step } = stepOf(held, given);
		const lookAt = nextMs === null ? null : new Date(nowMs + nextMs);
		const stoppedAt = lookAt === null ? at : null;
		const change = { ...step.change, lookAt, stoppedAt, depositHash: intent.transactionHash };
		// It was paid, and the depository has it for nobody: an operator has to look.
		const isNew = step.change?.errorCode === MISSING && held.errorCode !== MISSING;
		if (isNew) context.alarm(MISSING, id);
		const isGivenUp = lookAt === null && step.event === "doubt" && held.stoppedAt === null;
		if (isGivenUp) context.alarm("given_up", id);
		const moved = await moveBridge(tx, held, { ...step, at, change });
		if (moved === null) await changeBridge(tx, id, { lookAt, stoppedAt });
	};
	await steps.run("bridge.sync", () => core.db.transaction(act));
}

/**
 * Cancels a bridge: without intents it ends at once, else its intents are cancelled, the deposit
 * first. An allowance that was sent continues; it can be revoked afterwards. Throws `bridge_state`
 * where the deposit was sent, handed over, or may have been.
 */
export async function cancelBridge(
	context: BridgeContext,
	bridge: Bridge,
	signal: AbortSignal,
): Promise<void> {
	const { core, steps, wallets } = context;
	// An owner's own wallet may have sent it without a word: the provider knows.
	await seekDeposit(context, { bridge, isUrgent: true, signal });
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
	await syncIntent(context, bridge.id, signal);
}

/** Reads when a deposit's block was made; null: it is in none, or no node says so now. */
async function depositTime(
	{ readers, core }: BridgeContext,
	given: { bridge: Bridge; intent: Intent; signal: AbortSignal },
): Promise<Date | null> {
	const { bridge, intent, signal } = given;
	const { status, transactionHash: hash } = intent;
	if (status !== "confirmed" || hash === null) return null;
	const read = readers.own(bridge.route?.origin.chainId ?? 0);
	const known = { createdAt: bridge.createdAt, nowMs: core.clock.nowMs() };
	return await readMinedAt(read, { hash, ...known, signal });
}

/** Reads the allowance before the deposit; null where there is none. */
async function stepBefore({ wallets }: BridgeContext, intent: Intent): Promise<Intent | null> {
	const { afterId, profileId } = intent;
	return afterId === null ? null : await wallets.execution.read(afterId, profileId);
}

function stepOf(bridge: Bridge, given: Given): Step {
	const { intent, asking, minedAt, nowMs } = given;
	const { status, errorCode } = intent;
	switch (status) {
		case "waiting":
			if (asking.status === "confirmation_required") return { event: "ask", nextMs: WAITING_MS };
			if (asking.status === "signature_required") return { event: "sign", nextMs: SIGNING_MS };
			return goingOn(bridge);
		case "created":
		case "submitting":
		case "submitted":
		case "review_required":
			return goingOn(bridge);
		case "confirmation_required":
			return { event: "ask", nextMs: WAITING_MS };
		case "signature_required":
			return { event: "sign", nextMs: SIGNING_MS };
		case "uncertain":
			return { event: "doubt", change: { errorCode: "submission_unknown" }, nextMs: WAITING_MS };
		case "dry_run":
			return { event: "hold", change: { errorCode: "dry_run" }, nextMs: null };
		case "confirmed": {
			// Its block's time is read again in a moment.
			if (minedAt === null) return goingOn(bridge);
			const change = { depositedAt: minedAt, errorCode: null, detail: null, hintedAt: null };
			return { event: "deposit", change, nextMs: 0 };
		}
		case "expired":
			if (intent.plan && isSignedByOwner(bridge)) return unansweredStep(bridge, nowMs);
			return endedStep(bridge, { ...given, code: errorCode ?? status });
		case "rejected":
			return endedStep(bridge, { ...given, code: errorCode ?? status });
		case "failed":
			return failedStep(bridge, intent, nowMs);
		default:
			return unreachable(status);
	}
}

/** Returns the move for an intent under way; one that was given up before is in doubt at first. */
function goingOn({ status }: Bridge): Step {
	if (status === "failure" || status === "rejected" || status === "disabled") {
		return { event: "doubt", change: { errorCode: "submission_unknown" }, nextMs: MOVING_MS };
	}
	return { event: "execute", change: { errorCode: null }, nextMs: MOVING_MS };
}

function isSignedByOwner({ status, errorCode }: Bridge): boolean {
	return status === "signature_required" || errorCode === "quote_expired";
}

/**
 * Returns the move where the owner did not report a signature in time. They may have signed without
 * a report, so the deposit is still looked for, for a day.
 */
function unansweredStep({ failedAt }: Bridge, nowMs: number): Step {
	const since = failedAt ?? new Date(nowMs);
	const nextMs = soughtMs(nowMs - since.getTime());
	return { event: "give_up", change: { errorCode: "quote_expired", failedAt: since }, nextMs };
}

/**
 * Returns the move where nothing was deposited: after an allowance that was, or may have been, sent
 * a failure, else an end. What an owner's own wallet was shown may be signed all the same, whoever
 * called it off and however far it was, so it is looked for.
 */
function endedStep(bridge: Bridge, given: Given & { code: string }): Step {
	const { code, before, isOwners, nowMs } = given;
	const isSent = before !== null && SENT.includes(before.status);
	const ofBefore = before?.errorCode ?? before?.status;
	const inherited = code === "previous_step_failed" ? ofBefore : null;
	const errorCode = inherited ?? code;
	const { heldAt, failedAt, status } = bridge;
	const isCancelled = errorCode === CANCELLED && heldAt === null;
	const wasAsked = status === "signature_required" || failedAt !== null;
	const isSought = wasAsked || (isOwners && (isSent || isCancelled || heldAt !== null));
	const since = failedAt ?? new Date(nowMs);
	const nextMs = isSought ? soughtMs(nowMs - since.getTime()) : null;
	const change = { errorCode, ...(isSought && { failedAt: since }) };
	if (isSent) return { event: "give_up", change, nextMs };
	if (isCancelled) return { event: "cancel", change, nextMs };
	return { event: heldAt === null ? "reject" : "disable", change, nextMs };
}

/** Returns the delay until the next lookup of a signature that was not reported; null: no more. */
function soughtMs(ageMs: number): number | null {
	if (ageMs > FAILURE_OPEN_MS) return null;
	return ageMs > LATER_MS ? LATER_MS : LATE_MS;
}

/** Returns the move of a failed intent: a doubt where it was paid but the deposit is missing. */
function failedStep({ failedAt }: Bridge, { errorCode }: Intent, nowMs: number): Step {
	// Its block may still leave the chain, and a hash may turn up after all.
	const since = failedAt ?? new Date(nowMs);
	const ageMs = nowMs - since.getTime();
	if (errorCode === MISSING) {
		const change = { errorCode, failedAt: since };
		return { event: "doubt", change, nextMs: ageMs < LATER_MS ? WAITING_MS : lateMs(ageMs) };
	}
	const isOver = ageMs > FAILURE_OPEN_MS;
	const change = { errorCode: errorCode ?? "failed", failedAt: since };
	return { event: "give_up", change, nextMs: isOver ? null : 60 * SECOND_MS };
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
