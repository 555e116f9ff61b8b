// Looks at a bridge: what became of its deposit, and whether its arrival is still there.

import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import { Fault } from "#core/fault.ts";
import type { BridgeContext, ChainReader } from "#plugins/bridge/bridgeConfig.ts";
import { deliveryOf, oftEndOf } from "#plugins/bridge/direct/oft.ts";
import {
	ARRIVAL_DEPTH_BLOCKS,
	ARRIVAL_GONE_AFTER_MS,
	ARRIVAL_LOOKS,
	ARRIVAL_WATCH_MS,
	HINT_AFTER_MS,
	HINT_EVERY_MS,
} from "#plugins/bridge/limits.ts";
import { readingsOf } from "#plugins/bridge/reconcile/claimEnd.ts";
import type { RelayCallOptions, RelayStatus } from "#plugins/bridge/relay/Relay.ts";
import { arrivalBlocks, releaseArrivals } from "#plugins/bridge/sql/arrivals.ts";
import {
	arrivalsOf,
	type Bridge,
	type BridgeChange,
	type BridgeMove,
	changeBridge,
	lockBridge,
	moveBridge,
} from "#plugins/bridge/sql/bridges.ts";
import { isRequestOfAnother, type StoredQuote } from "#plugins/bridge/sql/quotes.ts";

/**
 * Holds the provider's answer about a bridge; `word` null: there was none now, which proves
 * nothing. `isWhole` false: there is more to search, soon.
 */
export type Heard = { word: RelayStatus | null; isWhole: boolean; change: BridgeChange };

type Asked = { bridge: Bridge; quote: StoredQuote; signal: AbortSignal };

/** Names under which the provider says that it has seen no deposit. */
const UNDEPOSITED = ["waiting", "depositing", "unknown"];
/** Faults of one request: the next may be answered. */
const UNANSWERED: readonly string[] = [
	...["bridge_provider_unavailable", "bridge_provider_unreadable", "bridge_provider_refused"],
	"bridge_provider_off",
];

const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,16}$/)
	.transform(Number);
const receiptSchema = z.object({ status: quantity, blockNumber: quantity }).nullable();

/** Says what the chain shows of an arrival now. */
type Arrival = "final" | "there" | "gone" | "unreadable";

type Due = { event: "doubt" | null; change: NonNullable<BridgeMove["change"]> };

/**
 * Asks the provider, or the chains, about a deposited bridge, and returns what they answer. Throws
 * a Fault where it may not be asked now.
 */
export async function hearOf(context: BridgeContext, asked: Asked): Promise<Heard> {
	const { bridge, quote, signal } = asked;
	if (bridge.request.mode === "direct") return await askChains(context, asked);
	const options = { purpose: "poll", signal } as const;
	const word = await heardOf(context, askProvider(context, { bridge, quote, options }));
	return { word, isWhole: true, change: {} };
}

/** Returns the provider's answer; null where it has none for this one request, or none to read. */
async function heardOf(
	{ core, ending }: BridgeContext,
	asked: Promise<RelayStatus>,
): Promise<RelayStatus | null> {
	try {
		return await asked;
	} catch (error) {
		const isOfOne = error instanceof Fault && UNANSWERED.includes(error.code);
		if (!isOfOne || ending.aborted) throw error;
		core.log.warn("the bridge provider did not answer about a bridge", { error });
		return null;
	}
}

/** Asks both chains of a direct bridge for its status; null where they cannot be read. */
async function askChains(context: BridgeContext, { bridge, quote, signal }: Asked): Promise<Heard> {
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
	return { word: null, isWhole: true, change: {} };
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
				(await relay.search({ orderId }, options)) ??
				(await searchByDeposit(context, { bridge, depositHash, options }));
			return found?.status ?? word;
		});
	} catch (error) {
		// It was only to help: what was answered by the request's id stands.
		if (error instanceof Fault) return word;
		throw error;
	}
}

/**
 * Looks up a second deposit for a bridge. The provider's status is about the first one, if there
 * was one; what is found by the second one's own hash is added to its transactions.
 */
async function askOfSecond(
	context: BridgeContext,
	given: { bridge: Bridge; quote: StoredQuote; options: RelayCallOptions },
): Promise<RelayStatus> {
	const { relay, steps } = context;
	const { bridge, quote, options } = given;
	const { depositHash } = bridge;
	return await steps.run("bridge.status", async () => {
		const word = await relay.status(quote.requestId, options);
		if (!relay.canSearch || depositHash === null) return word;
		// It is only to know more: without it what was answered by the request's id stands.
		const asked = { bridge, depositHash, options };
		const found = searchByDeposit(context, asked).catch((error: unknown) => {
			if (error instanceof Fault) return null;
			throw error;
		});
		const status = (await found)?.status;
		if (status?.kind !== "seen" || word.kind !== "seen") return status ?? word;
		return { ...status, outHashes: [...status.outHashes, ...word.outHashes] };
	});
}

/**
 * Searches the provider's requests by a deposit's transaction. One that batches has deposits for
 * several orders: what is another bridge's says nothing of this one.
 */
async function searchByDeposit(
	{ relay, core }: Pick<BridgeContext, "relay" | "core">,
	{
		bridge: { id, depositOf },
		depositHash,
		options,
	}: { bridge: Bridge; depositHash: Hex; options: RelayCallOptions },
): ReturnType<BridgeContext["relay"]["search"]> {
	const found = await relay.search({ depositHash }, options);
	if (found === null) return null;
	const asked = { requestId: found.requestId, bridgeId: depositOf ?? id };
	return (await isRequestOfAnother(core.db, asked)) ? null : found;
}

/**
 * Looks an arrival up once; called until its block is too deep for a reorg, or for half an hour. An
 * arrival that a reorg removed makes the bridge uncertain again, with an alarm, and it is followed
 * as before. One answer of one node is not enough for that: a second one, a moment later, has to
 * agree.
 */
export async function watchArrival(
	context: BridgeContext,
	bridge: Bridge,
	signal: AbortSignal,
): Promise<void> {
	const { core, steps } = context;
	const arrival = await lookAt(context, bridge, signal);
	await steps.run("bridge.look", () =>
		core.db.transaction(async (tx) => {
			const held = await lockBridge(tx, bridge.id);
			if (held?.status !== bridge.status || held.lookAt === null) return;
			const at = new Date(core.clock.nowMs());
			const { event, change } = moveOf(held, { arrival, at });
			if (event === null) return await changeBridge(tx, bridge.id, change);
			await releaseArrivals(tx, bridge.id);
			context.alarm("arrival_lost", bridge.id);
			await moveBridge(tx, held, { event, change, at });
		}),
	);
}

function moveOf(
	{ changedAt, missingAt }: Bridge,
	{ arrival, at }: { arrival: Arrival; at: Date },
): Due {
	const nowMs = at.getTime();
	const ageMs = nowMs - changedAt.getTime();
	// A chain that cannot be read says nothing of it: that is no reason to look no more.
	const isOver = arrival === "final" || (arrival === "there" && ageMs >= ARRIVAL_WATCH_MS);
	if (arrival !== "gone") {
		return {
			event: null,
			change: { missingAt: null, lookAt: isOver ? null : nextLook(ageMs, at) },
		};
	}
	const missing = missingAt ?? at;
	if (nowMs - missing.getTime() < ARRIVAL_GONE_AFTER_MS) {
		const lookAt = new Date(nowMs + ARRIVAL_GONE_AFTER_MS);
		return { event: null, change: { missingAt: missing, lookAt } };
	}
	return {
		event: "doubt",
		change: {
			...{ errorCode: "arrival_lost", missingAt: null, lookAt: at, isVerified: false },
			...{ outHash: null, outHashes: null, outChainId: null, outCurrency: null },
			arrivedRaw: null,
		},
	};
}

/** Returns when an arrival of this age, in milliseconds, is looked at again. */
export function nextLook(ageMs: number, at: Date): Date {
	const [, delayMs] = ARRIVAL_LOOKS.find(([untilMs]) => ageMs < untilMs) ?? [0, ARRIVAL_WATCH_MS];
	return new Date(at.getTime() + delayMs);
}

/**
 * Looks at each transaction that paid: without one of them it is less than was ended by. One that
 * was mined anew in another block is looked up anew, as its payments are others.
 */
async function lookAt(
	context: BridgeContext,
	bridge: Bridge,
	signal: AbortSignal,
): Promise<Arrival> {
	const { outChainId } = bridge;
	const hashes = arrivalsOf(bridge);
	if (hashes.length === 0 || outChainId === null) return "final";
	const read = await readerOf(context, outChainId, signal);
	if (read === null) return "unreadable";
	try {
		const told = await Promise.all(
			hashes.map((hash) => read("eth_getTransactionReceipt", [hash], signal)),
		);
		const receipts = told.map((one) => receiptSchema.parse(one));
		const newest = Math.max(...receipts.map((one) => one?.blockNumber ?? 0));
		const blocks = await arrivalBlocks(context.core.db, bridge.id);
		const isThere = (one: (typeof receipts)[number], hash: Hex | undefined) =>
			one?.status === 1 && one.blockNumber === (blocks.get(hash ?? "0x") ?? one.blockNumber);
		if (!receipts.every((one, place) => isThere(one, hashes[place]))) return "gone";
		const head = quantity.parse(await read("eth_blockNumber", [], signal));
		return head - newest >= ARRIVAL_DEPTH_BLOCKS ? "final" : "there";
	} catch {
		return "unreadable";
	}
}

/** Returns the deployment's own node of the chain, else the provider's public one. */
async function readerOf(
	{ readers, directory }: BridgeContext,
	chainId: number,
	signal: AbortSignal,
): Promise<ChainReader | null> {
	const own = readers.own(chainId);
	if (own) return own;
	const chains = await directory.knownChains({ purpose: "poll", signal }).catch(() => []);
	return readers.of(chainId, chains.find(({ id }) => id === chainId)?.httpRpcUrl ?? null);
}
