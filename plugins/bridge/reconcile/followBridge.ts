// Follows a deposited bridge to its end: by the provider's word, then by both chains.

import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { seekSecond } from "#plugins/bridge/bridges/secondDeposit.ts";
import { readAuthorized } from "#plugins/bridge/bridges/seekAuthorized.ts";
import { readTransaction } from "#plugins/bridge/bridges/signedStep.ts";
import { deliveryOf, oftEndOf } from "#plugins/bridge/direct/oft.ts";
import {
	FAILURE_GRACE_MS,
	FAILURE_OPEN_MS,
	HINT_AFTER_MS,
	HINT_EVERY_MS,
	LATE_EVERY_MS,
	LOOK_DELAYS,
	lateMs,
	SEARCH_AGAIN_MS,
} from "#plugins/bridge/limits.ts";
import {
	type Claim,
	lookUpClaim,
	type Outcome,
	readingsOf,
	settleClaim,
	settleLater,
	unclaimed,
} from "#plugins/bridge/reconcile/claimEnd.ts";
import type { OutHash } from "#plugins/bridge/reconcile/verifyEnd.ts";
import { nextLook, watchArrival } from "#plugins/bridge/reconcile/watchArrival.ts";
import type { RelayCallOptions, RelayStatus } from "#plugins/bridge/relay/Relay.ts";
import {
	type Bridge,
	type BridgeChange,
	changeBridge,
	changeNoted,
	lockBridge,
	moveBridge,
	readBridge,
} from "#plugins/bridge/sql/bridges.ts";
import { quoteOfOrder, type StoredQuote } from "#plugins/bridge/sql/quotes.ts";
import type { Intent } from "#plugins/wallets/contract.ts";

/** What the provider's status means for a bridge whose deposit is on chain. */
type Judgement =
	/** The provider claims an end: the chains are asked whether that is so. */
	| { kind: "claims"; end: "success" | "refund"; hashes: readonly OutHash[] }
	/** The provider says `failure`: shown after a grace time, believed after a day. */
	| { kind: "failure" }
	/** On its way, as far as anybody knows: also what was never heard of. */
	| { kind: "in_flight" };

/** What a look found: an end that is claimed is decided where the bridge is held. */
type Found = Outcome & { claims?: readonly Claim[] };

/** What was said of a bridge; `isWhole` false: there is more to search, soon. */
type Heard = { word: RelayStatus; isWhole: boolean; change: BridgeChange };

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
	const isEnd = status === "success" || status === "refund";
	if (isEnd && bridge.isVerified === true) return await watchArrival(context, bridge, signal);
	const { execution } = context.wallets;
	const intent = intentId === null ? null : await execution.read(intentId, bridge.profileId);
	// The plan of the deposit names the order that was really deposited for.
	const orderId = intent?.plan?.shown["orderId"];
	const asked = { bridgeId: bridge.depositOf ?? bridge.id, seq: bridge.quoteSeq, orderId };
	const quote = await quoteOfOrder(core.db, asked);
	if (!quote) {
		context.alarm("quote_missing", bridge.id);
		return await changeBridge(core.db, bridge.id, { lookAt: null });
	}
	if (isEnd) return await verifyLater(context, { bridge, quote, signal });
	const options = { purpose: "poll", signal } as const;
	const heard: Heard =
		bridge.request.mode === "direct"
			? await askChains(context, { bridge, quote, signal })
			: {
					word: await askProvider(context, { bridge, quote, options }),
					...{ isWhole: true, change: {} },
				};
	const { word } = heard;
	const outcome = await outcomeOf(context, { bridge, quote, word, signal });
	const isThere = await isDeposited(context, { bridge, intent, quote, signal });
	const lost = lostOutcome(bridge, { isThere });
	await write(context, bridge, { found: outcome, lost, heard });
	if (word.kind !== "seen" || bridge.depositOf !== null) return;
	const read = (hash: Hex) => readTransaction(context, { bridge, hash, signal });
	const seconds = { bridge, deposit: intent, hashes: word.depositHashes, read, signal };
	await seekSecond(context, seconds);
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

/** Asks both chains of a direct bridge for its status; what cannot be read is in flight. */
async function askChains(
	context: BridgeContext,
	{ bridge, quote, signal }: { bridge: Bridge; quote: StoredQuote; signal: AbortSignal },
): Promise<Heard> {
	const { route, depositHash, searchedBlock } = bridge;
	const { readingOf } = await readingsOf(context, bridge, signal);
	const here = route && readingOf(route.origin.chainId)?.read;
	const there = route && readingOf(route.destination.chainId)?.read;
	for (const token of context.settings.directTokens) {
		const from = route && oftEndOf(token, route.origin.chainId);
		const to = route && oftEndOf(token, route.destination.chainId);
		const isToken = token.symbol === route?.origin.symbol;
		if (!from || !to || !isToken || !here || !there || depositHash === null) continue;
		try {
			const delivery = await context.steps.run("bridge.status", () =>
				deliveryOf({
					...{ here, there, depositHash, ends: { from, to }, signal },
					newestBlock: blockOf(quote.told.newestBlock),
					searchedBlock: blockOf(searchedBlock),
				}),
			);
			const { word, isWhole } = delivery;
			const searched = delivery.searchedBlock === null ? null : Number(delivery.searchedBlock);
			return { word, isWhole, change: { searchedBlock: searched } };
		} catch (error) {
			context.core.log.warn("a message could not be looked up", { bridgeId: bridge.id, error });
		}
	}
	return { word: { kind: "unseen" }, isWhole: true, change: {} };
}

function blockOf(told: string | number | null): bigint | null {
	return told === null ? null : BigInt(told);
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
	if (bridge.depositOf !== null) return await askOfSecond(context, given);
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

/**
 * Asks what became of a deposit that was made once more. Its request's word is about the first
 * one, if there was one; what is found by the deposit's own hash is added to its transactions.
 */
async function askOfSecond(
	{ relay, steps }: BridgeContext,
	given: { bridge: Bridge; quote: StoredQuote; options: RelayCallOptions },
): Promise<RelayStatus> {
	const { bridge, quote, options } = given;
	const { depositHash } = bridge;
	return await steps.run("bridge.status", async () => {
		const word = await relay.status(quote.requestId, options);
		if (!relay.canSearch || depositHash === null) return word;
		const status = (await relay.search({ depositHash }, options))?.status;
		if (status?.kind !== "seen" || word.kind !== "seen") return status ?? word;
		return { ...status, outHashes: [...status.outHashes, ...word.outHashes] };
	});
}

/**
 * Returns what may have become of a deposit that was made once more: a fill or a refund, whatever
 * its request's word is about. Nothing, as long as the first deposit may still get either: it has
 * no end, and is not given up.
 */
async function claimsOfSecond(
	context: BridgeContext,
	given: { bridge: Bridge; quote: StoredQuote; word: RelayStatus; signal: AbortSignal },
): Promise<Claim[]> {
	const { bridge, word } = given;
	const first = await readBridge(context.core.db, bridge.depositOf ?? "");
	const isEnded = /^(success|refund)$/.test(first?.status ?? "") || first?.stoppedAt !== null;
	const isOpen = first?.depositedAt !== null && !isEnded;
	if (isOpen || word.kind !== "seen") return [];
	const hashes = word.outHashes;
	return await Promise.all(
		(["fill", "refund"] as const).map((end) => lookUpClaim(context, { ...given, end, hashes })),
	);
}

async function outcomeOf(
	context: BridgeContext,
	given: { bridge: Bridge; quote: StoredQuote; word: RelayStatus; signal: AbortSignal },
): Promise<Found> {
	const { bridge, quote, word, signal } = given;
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
	const { outHash: hash, outChainId: chainId } = bridge;
	if (hash === null) return await changeBridge(core.db, bridge.id, { lookAt: null });
	const end = bridge.status === "refund" ? "refund" : "fill";
	const hashes = [{ hash, chainId }];
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
	if (payment?.kind !== "payment" || !bridge.route) return !intent || intent.status === "confirmed";
	const owner = bridge.route.user;
	const { kind } = await readAuthorized(context, { payment, owner, signal });
	return kind === "used" || kind === "unreadable";
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

/** Decides the claims of a look, the first that is proven; without any, what was found stands. */
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
	const said =
		word.kind === "seen"
			? { providerStatus: word.status, providerReason: word.failReason }
			: { providerStatus: null };
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, bridge.id);
		if (!held || held.lookAt === null || held.status !== bridge.status) return;
		const nowMs = core.clock.nowMs();
		const at = new Date(nowMs);
		const settled = await settleAll(context, tx, { bridge: held, found, at });
		const isProven = settled.event === "fill" || settled.event === "refund";
		const { event, change } = isProven ? settled : (lost ?? settled);
		const looked = { ...held, failedAt: change.failedAt ?? held.failedAt };
		if (change.failedAt === null) looked.failedAt = null;
		const time = judgeTime(looked, { nowMs, timeoutMs: settings.timeoutMs });
		const due = event ?? time.event;
		const laterMs = isWhole
			? time.nextMs
			: Math.min(time.nextMs ?? SEARCH_AGAIN_MS, SEARCH_AGAIN_MS);
		const nextAt = laterMs === null ? null : new Date(nowMs + laterMs);
		const lookAt = isProven ? nextLook(0, at) : nextAt;
		const stoppedAt = lookAt === null ? at : null;
		if (stoppedAt !== null && held.stoppedAt === null) context.alarm("given_up", bridge.id);
		const all = { ...change, ...said, ...heard.change, lookAt, stoppedAt, looks: held.looks + 1 };
		const moved = due === null ? null : await moveBridge(tx, held, { event: due, at, change: all });
		if (moved === null) await changeNoted(tx, held, { at, change: all });
	};
	await steps.run("bridge.look", () => core.db.transaction(act));
}
