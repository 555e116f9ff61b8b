// Follows a deposited bridge to its end: by the provider's word, then by both chains.

import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import type { BridgeEvent } from "#plugins/bridge/bridgeStates.ts";
import { readAuthorized } from "#plugins/bridge/bridges/seekAuthorized.ts";
import { deliveryOf, oftEndOf } from "#plugins/bridge/direct/oft.ts";
import {
	FAILURE_GRACE_MS,
	FAILURE_OPEN_MS,
	HINT_AFTER_MS,
	HINT_EVERY_MS,
	LOOK_DELAYS,
	TIMED_OUT_EVERY_MS,
	TIMED_OUT_OPEN_MS,
	UNREADABLE_MS,
} from "#plugins/bridge/limits.ts";
import {
	type OutHash,
	type Verification,
	verifyFill,
	verifyRefund,
} from "#plugins/bridge/reconcile/verifyEnd.ts";
import { nextLook, watchArrival } from "#plugins/bridge/reconcile/watchArrival.ts";
import type { RelayCallOptions, RelayStatus } from "#plugins/bridge/relay/Relay.ts";
import {
	type Bridge,
	type BridgeChange,
	changeBridge,
	lockBridge,
	moveBridge,
} from "#plugins/bridge/sql/bridges.ts";
import { claimedByOthers, quoteOfOrder, type StoredQuote } from "#plugins/bridge/sql/quotes.ts";
import type { Intent } from "#plugins/wallets/contract.ts";

/** What the provider's status means for a bridge whose deposit is on chain. */
type Judgement =
	/** It claims an end: the chains are asked whether that is so. */
	| { kind: "claims"; end: "success" | "refund"; hashes: readonly OutHash[] }
	/** It says `failure`: shown after a grace, believed after a day. */
	| { kind: "failure" }
	/** On its way, as far as anybody knows: also what was never heard of. */
	| { kind: "in_flight" };

type Outcome = { event: BridgeEvent | null; change: BridgeChange };

/** Names under which the provider says that it has seen no deposit. */
const UNDEPOSITED = ["waiting", "depositing", "unknown"];

/**
 * Looks once at a bridge whose deposit is on chain: what the provider says, and whether both chains
 * agree. Throws a Fault where the provider cannot be asked now: the bridge keeps its place then.
 */
export async function followBridge(
	context: BridgeContext,
	bridge: Bridge,
	signal: AbortSignal,
): Promise<void> {
	const { core } = context;
	const { intentId, status } = bridge;
	if (status === "success" || status === "refund") {
		return await watchArrival(context, bridge, signal);
	}
	const { execution } = context.wallets;
	const intent = intentId === null ? null : await execution.read(intentId, bridge.profileId);
	// The plan of the deposit names the order that was really deposited for.
	const orderId = intent?.plan?.shown["orderId"];
	const asked = { bridgeId: bridge.id, seq: bridge.quoteSeq, orderId };
	const quote = await quoteOfOrder(core.db, asked);
	if (!quote) return await changeBridge(core.db, bridge.id, { lookAt: null });
	const options = { purpose: "poll", signal } as const;
	const word =
		bridge.request.mode === "direct"
			? await askChains(context, bridge, signal)
			: await askProvider(context, { bridge, quote, options });
	const outcome = await outcomeOf(context, { bridge, quote, word, signal });
	const isThere = await isDeposited(context, { bridge, intent, quote, signal });
	const lost = lostOutcome(bridge, { isThere, event: outcome.event });
	await write(context, bridge, { ...(lost ?? outcome), word, quote });
}

/**
 * Reads the provider's word. Only three of its words are an end, or could be one; every other one,
 * also one that was never seen before, and none at all, is in flight.
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

/** Returns the event that is due by time alone, and the delay until the next look. */
export function judgeTime(
	bridge: Pick<Bridge, "status" | "depositedAt" | "failedAt" | "changedAt">,
	{ nowMs, timeoutMs }: { nowMs: number; timeoutMs: number },
): { event: "fail" | "time_out" | null; nextMs: number | null } {
	const { status, failedAt, changedAt } = bridge;
	const ageMs = nowMs - (bridge.depositedAt?.getTime() ?? nowMs);
	const failedForMs = failedAt === null ? null : nowMs - failedAt.getTime();
	const delay = LOOK_DELAYS.find(([untilMs]) => ageMs < untilMs)?.[1] ?? TIMED_OUT_EVERY_MS;
	if (status === "failure") {
		const isOver = (failedForMs ?? Number.POSITIVE_INFINITY) > FAILURE_OPEN_MS;
		return { event: null, nextMs: isOver ? null : Math.max(delay, 60_000) };
	}
	if (status === "timed_out") {
		const isOver = nowMs - changedAt.getTime() > TIMED_OUT_OPEN_MS;
		return { event: null, nextMs: isOver ? null : TIMED_OUT_EVERY_MS };
	}
	if (failedForMs !== null && failedForMs >= FAILURE_GRACE_MS) {
		return { event: "fail", nextMs: delay };
	}
	if (ageMs >= timeoutMs) return { event: "time_out", nextMs: TIMED_OUT_EVERY_MS };
	return { event: null, nextMs: delay };
}

/** Asks both chains of a direct bridge for its status; what cannot be read is in flight. */
async function askChains(
	context: BridgeContext,
	bridge: Bridge,
	signal: AbortSignal,
): Promise<RelayStatus> {
	const { route, depositHash } = bridge;
	const readers = await readersOf(context, bridge, signal);
	const { origin: here, destination: there } = readers;
	for (const token of context.settings.directTokens) {
		const from = route && oftEndOf(token, route.origin.chainId);
		const to = route && oftEndOf(token, route.destination.chainId);
		const isToken = token.symbol === route?.origin.symbol;
		if (!from || !to || !isToken || !here || !there || depositHash === null) continue;
		try {
			return await context.steps.run("bridge.status", () =>
				deliveryOf({ here, there, depositHash, ends: { from, to }, signal }),
			);
		} catch (error) {
			context.core.log.warn("a message could not be looked up", { bridgeId: bridge.id, error });
		}
	}
	return { kind: "unseen" };
}

async function readersOf(
	{ directory, readers }: BridgeContext,
	bridge: Bridge,
	signal: AbortSignal,
) {
	const { origin, destination } = bridge.route ?? {};
	const chains = await directory.knownChains({ purpose: "poll", signal }).catch(() => []);
	const readerOf = (chainId: number | undefined) => {
		const url = chains.find(({ id }) => id === chainId)?.httpRpcUrl ?? null;
		return chainId === undefined ? null : readers.of(chainId, url);
	};
	return { origin: readerOf(origin?.chainId), destination: readerOf(destination?.chainId) };
}

/**
 * Asks the provider for a status by request id. Where the provider has not seen the deposit for a
 * while it is pointed out to it, and with a key its requests are searched by the deposit's hash and
 * by the order.
 */
async function askProvider(
	context: BridgeContext,
	given: { bridge: Bridge; quote: StoredQuote; options: RelayCallOptions },
): Promise<RelayStatus> {
	const { bridge, quote, options } = given;
	const { relay, core, steps } = context;
	const word = await steps.run("bridge.status", () => relay.status(quote.requestId, options));
	const isUnseen = word.kind === "unseen" || UNDEPOSITED.includes(word.status);
	const { depositHash, depositedAt, hintedAt } = bridge;
	const nowMs = core.clock.nowMs();
	const ageMs = nowMs - (depositedAt?.getTime() ?? nowMs);
	const sinceMs = nowMs - (hintedAt?.getTime() ?? 0);
	if (!isUnseen || depositHash === null || ageMs < HINT_AFTER_MS || sinceMs < HINT_EVERY_MS) {
		return word;
	}
	await changeBridge(core.db, bridge.id, { hintedAt: new Date(nowMs) });
	try {
		const chainId = bridge.route?.origin.chainId ?? 0;
		const { requestId, orderId } = quote;
		return await steps.run("bridge.status", async () => {
			await relay.hint({ chainId, hash: depositHash, requestId }, options);
			if (!relay.canSearch) return word;
			const found =
				(await relay.search({ depositHash }, options)) ??
				(await relay.search({ orderId }, options));
			return found?.status ?? word;
		});
	} catch (error) {
		// It was only to help: what was answered by the request's id stands.
		if (error instanceof Fault) return word;
		throw error;
	}
}

async function outcomeOf(
	context: BridgeContext,
	given: { bridge: Bridge; quote: StoredQuote; word: RelayStatus; signal: AbortSignal },
): Promise<Outcome> {
	const { bridge, quote, word, signal } = given;
	const judged = judgeWord(word);
	const nowMs = context.core.clock.nowMs();
	if (judged.kind === "failure") {
		return { event: null, change: { failedAt: bridge.failedAt ?? new Date(nowMs) } };
	}
	const revived = bridge.status === "failure" ? "revive" : null;
	if (judged.kind === "in_flight") return { event: revived, change: { failedAt: null } };
	const { route } = bridge;
	if (!route) return { event: null, change: {} };
	const readers = await readersOf(context, bridge, signal);
	const { minimumOutRaw } = quote;
	const asked = { route, minimumOutRaw, hashes: judged.hashes, readers, signal };
	const isFill = judged.end === "success";
	const verification = await (isFill ? verifyFill(asked) : verifyRefund(asked));
	return endOf(context, bridge, { end: isFill ? "fill" : "refund", verification });
}

function endOf(
	context: BridgeContext,
	bridge: Bridge,
	{ end, verification }: { end: "fill" | "refund"; verification: Verification },
): Outcome {
	switch (verification.kind) {
		case "verified": {
			const { kind: _, ...where } = verification;
			const change = { ...where, isVerified: true, errorCode: null, detail: null };
			return { event: end, change };
		}
		case "unreadable": {
			const { outHash } = verification;
			const nowMs = context.core.clock.nowMs();
			const claimedAt = bridge.claimedAt ?? new Date(nowMs);
			// A node may only be away for a moment: what it can prove is worth waiting for.
			if (nowMs - claimedAt.getTime() < UNREADABLE_MS) {
				return { event: null, change: { claimedAt } };
			}
			return { event: end, change: { outHash, isVerified: false, errorCode: null, detail: null } };
		}
		case "absent":
			// Nothing of it on a chain that was read: not yet, or not true. It goes on.
			return { event: null, change: {} };
		default: {
			const { code, outHash, outChainId, arrivedRaw } = verification;
			if (bridge.errorCode !== code) context.alarm(code, bridge.id);
			const change = { outHash, outChainId, arrivedRaw, errorCode: code };
			return { event: "doubt", change };
		}
	}
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
	if (payment?.kind !== "payment" || !bridge.route) return !intent || intent.status === "confirmed";
	const owner = bridge.route.user;
	const { kind } = await readAuthorized(context, { payment, owner, signal });
	return kind === "used" || kind === "unreadable";
}

/** Returns the doubt for a deposit that left its chain; null: it is there, or its end is proven. */
function lostOutcome(
	{ status, errorCode }: Bridge,
	{ isThere, event }: { isThere: boolean; event: BridgeEvent | null },
): Outcome | null {
	if (event === "fill" || event === "refund") return null;
	if (!isThere) return { event: "doubt", change: { errorCode: "deposit_lost" } };
	const isBack = status === "uncertain" && errorCode === "deposit_lost";
	return isBack ? { event: "deposit", change: { errorCode: null } } : null;
}

async function write(
	context: BridgeContext,
	bridge: Bridge,
	{ word, quote, ...told }: Outcome & { word: RelayStatus; quote: StoredQuote },
): Promise<void> {
	const { core, settings, steps } = context;
	const said =
		word.kind === "seen"
			? { providerStatus: word.status, providerReason: word.failReason }
			: { providerStatus: null };
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, bridge.id);
		if (!held || held.lookAt === null || held.status !== bridge.status) return;
		const { event, change } = await countedOnce(context, tx, { bridge: held, quote, ...told });
		const nowMs = core.clock.nowMs();
		const at = new Date(nowMs);
		const looked = { ...held, failedAt: change.failedAt ?? held.failedAt };
		if (change.failedAt === null) looked.failedAt = null;
		const time = judgeTime(looked, { nowMs, timeoutMs: settings.timeoutMs });
		const due = event ?? time.event;
		const isEnd = due === "fill" || due === "refund";
		const nextAt = time.nextMs === null ? null : new Date(nowMs + time.nextMs);
		// What no chain could show is not looked at again either.
		const watched = change.isVerified === true ? nextLook(0, at) : null;
		const lookAt = isEnd ? watched : nextAt;
		const all = { ...change, ...said, lookAt, looks: held.looks + 1 };
		const moved = due === null ? null : await moveBridge(tx, held, { event: due, at, change: all });
		if (moved === null) await changeBridge(tx, bridge.id, all);
	};
	await steps.run("bridge.look", () => core.db.transaction(act));
}

/**
 * Returns a proven fill, or a doubt where the same transaction was counted for other bridges
 * already and does not pay for this one as well: a provider may name one payment for two.
 */
async function countedOnce(
	context: BridgeContext,
	tx: Tx,
	given: Outcome & { bridge: Bridge; quote: StoredQuote },
): Promise<Outcome> {
	const { bridge, quote, event, change } = given;
	const { isVerified, outHash, arrivedRaw } = change;
	if (event !== "fill" || !isVerified || !outHash || arrivedRaw == null) return { event, change };
	const othersRaw = await claimedByOthers(tx, { id: bridge.id, outHash });
	const leftRaw = arrivedRaw > othersRaw ? arrivedRaw - othersRaw : 0n;
	if (leftRaw >= quote.minimumOutRaw) return { event, change };
	const code = "below_minimum";
	if (bridge.errorCode !== code) context.alarm(code, bridge.id);
	const { isVerified: _, ...where } = change;
	return { event: "doubt", change: { ...where, arrivedRaw: leftRaw, errorCode: code } };
}
