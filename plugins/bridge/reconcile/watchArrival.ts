// Watches an arrival until its block is too deep to leave the chain.

import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import type { BridgeContext, ChainReader } from "#plugins/bridge/bridgeConfig.ts";
import {
	ARRIVAL_DEPTH_BLOCKS,
	ARRIVAL_GONE_AFTER_MS,
	ARRIVAL_LOOKS,
	ARRIVAL_WATCH_MS,
} from "#plugins/bridge/limits.ts";
import { arrivalBlocks, releaseArrivals } from "#plugins/bridge/sql/arrivals.ts";
import {
	arrivalsOf,
	type Bridge,
	type BridgeMove,
	changeBridge,
	lockBridge,
	moveBridge,
} from "#plugins/bridge/sql/bridges.ts";

const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,16}$/)
	.transform(Number);
const receiptSchema = z.object({ status: quantity, blockNumber: quantity }).nullable();

/** Says what the chain shows of an arrival now. */
type Arrival = "final" | "there" | "gone" | "unreadable";

type Due = { event: "doubt" | null; change: NonNullable<BridgeMove["change"]> };

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
