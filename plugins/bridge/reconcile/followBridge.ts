// Follows a deposited bridge to its end: by the provider's status, then by both chains.

import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { depositsIn, seekSecond } from "#plugins/bridge/bridges/secondDeposit.ts";
import { readAuthorized } from "#plugins/bridge/bridges/seekAuthorized.ts";
import { isWithdrawn, readTransaction } from "#plugins/bridge/bridges/signedStep.ts";
import {
	FAILURE_GRACE_MS,
	FAILURE_OPEN_MS,
	LATE_EVERY_MS,
	LOOK_DELAYS,
	lateMs,
	SEARCH_AGAIN_MS,
	UNANSWERED_ALARM,
	UNANSWERED_MAX_MS,
	UNANSWERED_MS,
} from "#plugins/bridge/limits.ts";
import {
	type Claim,
	lookUpClaim,
	type Outcome,
	settleClaim,
	settleLater,
	unclaimed,
} from "#plugins/bridge/reconcile/claimEnd.ts";
import { type Heard, hearOf, nextLook, watchArrival } from "#plugins/bridge/reconcile/looks.ts";
import type { OutHash } from "#plugins/bridge/reconcile/verifyEnd.ts";
import type { RelayStatus } from "#plugins/bridge/relay/Relay.ts";
import {
	arrivalsOf,
	type Bridge,
	type BridgeChange,
	changeBridge,
	changeNoted,
	isProven,
	lockBridge,
	moveBridge,
	readBridge,
} from "#plugins/bridge/sql/bridges.ts";
import { quoteOfOrder, type StoredQuote } from "#plugins/bridge/sql/quotes.ts";
import type { Intent } from "#plugins/wallets/contract.ts";

/** Names what the provider's status means for a bridge whose deposit is on chain. */
type Judgement =
	/** The provider claims an end: the chains are asked whether that is so. */
	| { kind: "claims"; end: "success" | "refund"; hashes: readonly OutHash[] }
	/** The provider says `failure`: shown after a grace time, believed after a day. */
	| { kind: "failure" }
	/** The bridge is on its way, as far as is known: also with an unknown status, or none. */
	| { kind: "in_flight" };

/** Holds what a lookup found; a claimed end is decided while the bridge is locked. */
type Found = Outcome & { claims?: readonly Claim[] };

type Judged = {
	bridge: Bridge;
	quote: StoredQuote;
	word: RelayStatus | null;
	signal: AbortSignal;
};

/**
 * Looks once at a bridge whose deposit is on chain: what the provider says, and whether both chains
 * agree. Returns false where nobody answered about it: then time alone moves it, and it is asked
 * about less often. Throws a Fault where nothing was asked: the bridge keeps its place then.
 */
export async function followBridge(
	context: BridgeContext,
	bridge: Bridge,
	signal: AbortSignal,
): Promise<boolean> {
	const { core } = context;
	const { intentId, status } = bridge;
	const isEnd = status === "success" || status === "refund";
	if (isEnd && isProven(bridge)) {
		await watchArrival(context, bridge, signal);
		return true;
	}
	const { execution } = context.wallets;
	const intent = intentId === null ? null : await execution.read(intentId, bridge.profileId);
	// The plan of the deposit names the order that was really deposited for.
	const orderId = intent?.plan?.shown["orderId"];
	const asked = { bridgeId: bridge.depositOf ?? bridge.id, seq: bridge.quoteSeq, orderId };
	const quote = await quoteOfOrder(core.db, asked);
	if (!quote) {
		context.alarm("quote_missing", bridge.id);
		await changeBridge(core.db, bridge.id, { lookAt: null });
		return true;
	}
	if (isEnd) {
		await verifyLater(context, { bridge, quote, signal });
		return true;
	}
	const heard = await hearOf(context, { bridge, quote, signal });
	const { word } = heard;
	const outcome = await outcomeOf(context, { bridge, quote, word, signal });
	const isThere = await isDeposited(context, { bridge, intent, quote, signal });
	const lost = lostOutcome(bridge, { isThere });
	await write(context, bridge, { found: outcome, lost, heard });
	if (word?.kind !== "seen" || bridge.depositOf !== null) return word !== null;
	const read = (hash: Hex) => readTransaction(context, { bridge, hash, signal });
	const seconds = { bridge, deposit: intent, hashes: word.depositHashes, read, signal };
	await seekSecond(context, seconds);
	return true;
}

/**
 * Judges the provider's status. Only three are an end, or could be one; any other one, an unknown
 * one, and none at all, is in flight.
 */
export function judgeWord(word: RelayStatus): Judgement {
	if (word.kind === "unseen") return { kind: "in_flight" };
	switch (word.status) {
		case "success":
		case "refund":
			return { kind: "claims", end: word.status, hashes: word.outHashes };
		case "failure":
			return { kind: "failure" };
		default:
			return { kind: "in_flight" };
	}
}

/** Returns the event that is due by time alone, and the delay until the next lookup. */
export function judgeTime(
	bridge: Pick<Bridge, "status" | "depositedAt" | "failedAt" | "changedAt">,
	{ nowMs, timeoutMs }: { nowMs: number; timeoutMs: number },
): { event: "fail" | "time_out" | null; nextMs: number | null } {
	const { status, failedAt, changedAt } = bridge;
	const ageMs = nowMs - (bridge.depositedAt?.getTime() ?? nowMs);
	const failedForMs = failedAt === null ? null : nowMs - failedAt.getTime();
	const delay = LOOK_DELAYS.find(([untilMs]) => ageMs < untilMs)?.[1] ?? LATE_EVERY_MS;
	if (status === "failure") {
		const sinceMs = failedForMs ?? nowMs - changedAt.getTime();
		const isFresh = sinceMs <= FAILURE_OPEN_MS;
		return { event: null, nextMs: isFresh ? Math.max(delay, 60_000) : lateMs(sinceMs) };
	}
	if (status === "timed_out") return { event: null, nextMs: lateMs(nowMs - changedAt.getTime()) };
	if (failedForMs !== null && failedForMs >= FAILURE_GRACE_MS) {
		return { event: "fail", nextMs: delay };
	}
	if (ageMs >= timeoutMs) return { event: "time_out", nextMs: lateMs(ageMs - timeoutMs) };
	return { event: null, nextMs: delay };
}

/**
 * Returns the ends that a second deposit may have had: a fill or a refund, whatever the provider's
 * status is about. Empty as long as the first deposit may still get either: it has no end, and is
 * not given up.
 */
async function claimsOfSecond(context: BridgeContext, given: Judged): Promise<Claim[]> {
	const { bridge, word } = given;
	const first = await readBridge(context.core.db, bridge.depositOf ?? "");
	const isEnded = /^(success|refund)$/.test(first?.status ?? "") || first?.stoppedAt !== null;
	const isOpen = first?.depositedAt !== null && !isEnded;
	if (isOpen || word?.kind !== "seen") return [];
	const hashes = word.outHashes;
	return await Promise.all(
		(["fill", "refund"] as const).map((end) => lookUpClaim(context, { ...given, end, hashes })),
	);
}

async function outcomeOf(context: BridgeContext, given: Judged): Promise<Found> {
	const { bridge, quote, word, signal } = given;
	if (word === null) return { event: null, change: {} };
	if (bridge.depositOf !== null) {
		return { event: null, change: {}, claims: await claimsOfSecond(context, given) };
	}
	const judged = judgeWord(word);
	const nowMs = context.core.clock.nowMs();
	if (judged.kind === "failure") {
		const change = { ...unclaimed(bridge), failedAt: bridge.failedAt ?? new Date(nowMs) };
		return { event: null, change };
	}
	const revived = bridge.status === "failure" ? "revive" : null;
	if (judged.kind === "in_flight") {
		return { event: revived, change: { ...unclaimed(bridge), failedAt: null } };
	}
	const end = judged.end === "success" ? "fill" : "refund";
	const claim = await lookUpClaim(context, { bridge, quote, end, hashes: judged.hashes, signal });
	return { event: null, change: {}, claims: [claim] };
}

/**
 * Looks whether a node of ours shows by now what stood by the provider's own node alone. Until one
 * does, the end stays as it is, and says so.
 */
async function verifyLater(
	context: BridgeContext,
	given: { bridge: Bridge; quote: StoredQuote; signal: AbortSignal },
): Promise<void> {
	const { core, steps } = context;
	const { bridge } = given;
	const { outChainId: chainId } = bridge;
	const hashes = arrivalsOf(bridge).map((hash) => ({ hash, chainId }));
	if (hashes.length === 0) return await changeBridge(core.db, bridge.id, { lookAt: null });
	const end = bridge.status === "refund" ? "refund" : "fill";
	const claim = await lookUpClaim(context, { ...given, end, hashes, isOwnOnly: true });
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, bridge.id);
		if (held?.status !== bridge.status || held.lookAt === null) return;
		const at = new Date(core.clock.nowMs());
		const settled = await settleLater(context, tx, { bridge: held, claim, at });
		const sinceMs = at.getTime() - held.changedAt.getTime();
		const nextMs = settled ? 0 : lateMs(sinceMs);
		const lookAt = nextMs === null ? null : new Date(at.getTime() + nextMs);
		const stoppedAt = lookAt === null ? at : null;
		if (stoppedAt !== null && held.stoppedAt === null) context.alarm("given_up", held.id);
		const change = { ...settled?.change, lookAt, stoppedAt };
		const event = settled?.event ?? null;
		if (event === null) return await changeNoted(tx, held, { at, change });
		await moveBridge(tx, held, { event, at, change });
	};
	await steps.run("bridge.look", () => core.db.transaction(act));
}

/**
 * Returns whether the deposit is still on chain: by its intent, or by the token where its owner
 * signed in place of sending it. What cannot be read is believed to be where it was.
 */
async function isDeposited(
	context: BridgeContext,
	given: { bridge: Bridge; intent: Intent | null; quote: StoredQuote; signal: AbortSignal },
): Promise<boolean> {
	const { bridge, intent, quote, signal } = given;
	const [payment] = quote.authorizations;
	if (payment?.kind !== "payment" || !bridge.route) {
		if (!intent || intent.status === "confirmed") return true;
		const { depositHash: hash } = bridge;
		if (hash === null || !isWithdrawn(intent)) return false;
		// Its wallet deposited inside another call, which no intent follows.
		return await isStillWithin(context, { bridge, hash, signal });
	}
	const owner = bridge.route.user;
	const { kind } = await readAuthorized(context, { payment, owner, signal });
	return kind === "used" || kind === "unreadable";
}

/** Returns whether a deposit inside another call is still on its chain; unreadable counts as so. */
async function isStillWithin(
	context: BridgeContext,
	given: { bridge: Bridge; hash: Hex; signal: AbortSignal },
): Promise<boolean> {
	try {
		return (await depositsIn(context, given)) !== null;
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		return error.code !== "step_result_unseen";
	}
}

function saidBy(word: RelayStatus | null): BridgeChange {
	if (word === null) return {};
	if (word.kind === "unseen") return { providerStatus: null };
	return { providerStatus: word.status, providerReason: word.failReason };
}

/** Returns the delay until the next lookup, longer after each one without an answer. */
function slowedMs(nextMs: number | null, unanswered: number): number | null {
	if (nextMs === null || unanswered === 0) return nextMs;
	const slowMs = UNANSWERED_MS * 2 ** Math.min(unanswered - 1, 10);
	return Math.max(nextMs, Math.min(slowMs, UNANSWERED_MAX_MS));
}

/** Returns the doubt for a deposit that left its chain, or the end of that doubt; null: neither. */
function lostOutcome(
	{ status, errorCode }: Bridge,
	{ isThere }: { isThere: boolean },
): Outcome | null {
	if (!isThere) return { event: "doubt", change: { errorCode: "deposit_lost" } };
	const isBack = status === "uncertain" && errorCode === "deposit_lost";
	return isBack ? { event: "deposit", change: { errorCode: null } } : null;
}

/**
 * Decides the claims of a lookup by the first that is proved; without any, the lookup's own result
 * is returned.
 */
async function settleAll(
	context: BridgeContext,
	tx: Tx,
	{ bridge, found, at }: { bridge: Bridge; found: Found; at: Date },
): Promise<Outcome> {
	let settled: Outcome = found;
	for (const claim of found.claims ?? []) {
		const next = await settleClaim(context, tx, { bridge, claim, at });
		// Less than was promised stays said, whatever the other end is.
		if (next.event !== null || settled.event === null) settled = next;
		if (settled.event === "fill" || settled.event === "refund") break;
	}
	return settled;
}

async function write(
	context: BridgeContext,
	bridge: Bridge,
	{ found, lost, heard }: { found: Found; lost: Outcome | null; heard: Heard },
): Promise<void> {
	const { core, settings, steps } = context;
	const { word, isWhole } = heard;
	const said = saidBy(word);
	const unanswered = word === null ? bridge.unanswered + 1 : 0;
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, bridge.id);
		if (!held || held.lookAt === null || held.status !== bridge.status) return;
		const nowMs = core.clock.nowMs();
		const at = new Date(nowMs);
		const settled = await settleAll(context, tx, { bridge: held, found, at });
		const isProven = settled.event === "fill" || settled.event === "refund";
		const { event, change } = isProven ? settled : (lost ?? settled);
		const now = { ...held, failedAt: change.failedAt ?? held.failedAt };
		if (change.failedAt === null) now.failedAt = null;
		const time = judgeTime(now, { nowMs, timeoutMs: settings.timeoutMs });
		const due = event ?? time.event;
		const laterMs = isWhole
			? slowedMs(time.nextMs, unanswered)
			: Math.min(time.nextMs ?? SEARCH_AGAIN_MS, SEARCH_AGAIN_MS);
		if (unanswered === UNANSWERED_ALARM) context.alarm("provider_silent", bridge.id);
		const nextAt = laterMs === null ? null : new Date(nowMs + laterMs);
		const lookAt = isProven ? nextLook(0, at) : nextAt;
		const stoppedAt = lookAt === null ? at : null;
		if (stoppedAt !== null && held.stoppedAt === null) context.alarm("given_up", bridge.id);
		const looked = { lookAt, stoppedAt, looks: held.looks + 1, unanswered };
		const all = { ...change, ...said, ...heard.change, ...looked };
		const moved = due === null ? null : await moveBridge(tx, held, { event: due, at, change: all });
		if (moved === null) await changeNoted(tx, held, { at, change: all });
	};
	await steps.run("bridge.look", () => core.db.transaction(act));
}
