// Follows a second deposit of an owner's own wallet for a bridge, or one after it was cancelled.

import { decodeEventLog } from "viem";
import { z } from "zod";
import { type Address, type Hex, hexQuantity, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { addressSchema, anyCaseAddressSchema } from "#core/chain/hexSchemas.ts";
import type { Tx } from "#core/db/Database.ts";
import { SECOND_MS } from "#core/time.ts";
import type { BridgeContext, ChainReader } from "#plugins/bridge/bridgeConfig.ts";
import { sentBy } from "#plugins/bridge/direct/oft.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { depositoryAbi } from "#plugins/bridge/quote/authorizations.ts";
import { type Bridge, lockBridge } from "#plugins/bridge/sql/bridges.ts";
import { readQuote, type StoredQuote } from "#plugins/bridge/sql/quotes.ts";
import {
	type Claim,
	insertSecond,
	isCallOfAnother,
	readClaims,
	readSecondHashes,
} from "#plugins/bridge/sql/secondDeposits.ts";
import type { Intent, Plan, Receipt } from "#plugins/wallets/contract.ts";

/** A transaction as a node of ours shows it. */
export type SeenTransaction = {
	hash: Hex;
	from: Address;
	to: Address | null;
	value: bigint;
	input: string;
	chainId?: bigint | undefined;
};

type Expected = Pick<Plan, "chainId" | "from" | "to" | "valueRaw" | "data">;
type Given = {
	bridge: Bridge;
	/** The bridge's intent that deposits. */
	deposit: Pick<Intent, "status">;
	seen: SeenTransaction;
	signal: AbortSignal;
};

/**
 * Lists the statuses of a deposit whose own transaction may be this one, as wallets speed theirs
 * up.
 */
const OPEN: readonly string[] = ["created", "waiting", "submitting", "submitted", "uncertain"];

/** Hashes of others that the provider may name: each costs a question. */
const SEEN_MAX = 4;

const hex = z
	.string()
	.regex(/^0x[0-9a-fA-F]*$/)
	.transform((text) => text.toLowerCase() as Hex);
const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,64}$/)
	.transform(BigInt);
const minedSchema = z.object({ blockNumber: quantity }).nullable();
const blockSchema = z.object({ timestamp: quantity });
const receiptSchema = z
	.object({
		status: z.string().regex(/^0x[01]$/),
		logs: z
			.array(z.object({ address: anyCaseAddressSchema, topics: z.array(hex).max(4), data: hex }))
			.max(2_000),
	})
	.nullable();

/** Returns whether a transaction is a call: sender, chain, what is called, value and calldata. */
export function isCall(seen: SeenTransaction, call: Expected): boolean {
	const { chainId, from, to, valueRaw, data } = call;
	const isOfChain = seen.chainId === undefined || seen.chainId === BigInt(chainId);
	const isSame = seen.from === from && seen.to === to && seen.value === valueRaw;
	return isOfChain && isSame && seen.input === data;
}

/** A deposit that a transaction's logs show: the quote that it is for, and its log's place. */
type DepositLog = { quote: StoredQuote; place: number };

/** Holds all deposits of one transaction for a bridge's orders, at least one, in their order. */
export type DepositsFound = {
	deposits: readonly DepositLog[];
	/** When its block was made. */
	minedAt: Date;
};

type Followed = { bridge: Bridge; hash: Hex };

/**
 * Takes a transaction that has deposits for a bridge's quotes, though not the one that the bridge
 * has: money left, so each is followed as a bridge of its own. Returns false where it has no such
 * deposit, by itself or inside another call. Throws where no node shows its block yet.
 */
export async function followSecond(context: BridgeContext, given: Given): Promise<boolean> {
	const { bridge, deposit, seen, signal } = given;
	const { hash } = seen;
	const quote = await quoteOfCall(context, bridge, seen);
	if (!bridge.route) return false;
	const isOwn = quote && quote.seq === bridge.quoteSeq && bridge.depositedAt === null;
	// The chain shows which of its two transactions is mined, and wallets look for that.
	if (isOwn && OPEN.includes(deposit.status)) return true;
	if (bridge.request.mode === "direct") {
		return quote !== null && (await followMessage(context, { bridge, quote, hash, signal }));
	}
	const found = await depositsIn(context, { bridge, hash, signal });
	// Nothing of it is a deposit: where it is the call itself, it took nothing.
	if (found === null) return quote !== null;
	const { core, steps, alarm } = context;
	const act = async (tx: Tx) => {
		await lockBridge(tx, bridge.depositOf ?? bridge.id);
		return await insertFree(context, tx, { bridge, hash, found });
	};
	const made = await steps.run("bridge.sync", () => core.db.transaction(act));
	for (const id of made) alarm("second_deposit", id);
	return true;
}

/** Follows one more message of a direct bridge; false where it may be another bridge's. */
async function followMessage(
	context: BridgeContext,
	given: Followed & { quote: StoredQuote; signal: AbortSignal },
): Promise<boolean> {
	const { core, steps, newId, alarm } = context;
	const { bridge, quote, hash, signal } = given;
	const { data } = quote.steps.at(-1) ?? {};
	// Without an order in it, it may be the deposit of another bridge that looks the same.
	if (data && (await isCallOfAnother(core.db, { bridge, data }))) return false;
	const { status, logs } = await minedReceipt(context, { bridge, hash, signal });
	const { orderId, depository: to } = quote;
	if (status !== "0x1" || !isDepositIn(logs, { bridge, orderId, to })) return true;
	const depositedAt = await timeOf(context, { bridge, hash, signal });
	const [id, at] = [newId(), new Date(core.clock.nowMs())];
	const act = async (tx: Tx) => {
		// What its wallet's node has found of the bridge meanwhile is its own deposit.
		const held = await lockBridge(tx, bridge.id);
		if (held?.depositHash === hash) return false;
		const made = { id, bridge, quoteSeq: quote.seq, depositHash: hash, depositLog: null };
		return await insertSecond(tx, { ...made, depositedAt, at });
	};
	if (await steps.run("bridge.sync", () => core.db.transaction(act))) alarm("second_deposit", id);
	return true;
}

/**
 * Stores the deposits of a transaction that no bridge has yet, each as a bridge of its own, and
 * returns their ids. The caller holds the row of the bridge whose orders they are for, so that
 * nobody else takes one meanwhile.
 */
export async function insertFree(
	{ core, newId }: Pick<BridgeContext, "core" | "newId">,
	tx: Tx,
	{ bridge, hash: depositHash, found }: Followed & { found: DepositsFound },
): Promise<string[]> {
	const bridgeId = bridge.depositOf ?? bridge.id;
	const claims = await readClaims(tx, { bridgeId, depositHash });
	const made: string[] = [];
	for (const { quote, place: depositLog } of freeOf(found.deposits, claims)) {
		const [id, at] = [newId(), new Date(core.clock.nowMs())];
		const second = { id, bridge, quoteSeq: quote.seq, depositHash, depositLog };
		if (await insertSecond(tx, { ...second, depositedAt: found.minedAt, at })) made.push(id);
	}
	return made;
}

/**
 * Returns the deposits of a transaction that nobody has. Who deposited by a call of its own has no
 * place noted: it has the first one for its quote.
 */
export function freeOf(
	deposits: readonly DepositLog[],
	claims: readonly Claim[],
): readonly DepositLog[] {
	const taken = new Set(claims.map(({ depositLog }) => depositLog));
	let free = deposits.filter(({ place }) => !taken.has(place));
	for (const { quoteSeq } of claims.filter(({ depositLog }) => depositLog === null)) {
		const own = free.find(({ quote }) => quote.seq === quoteSeq) ?? free[0];
		free = free.filter((one) => one !== own);
	}
	return free;
}

/**
 * Finds the deposits for a bridge's orders in a transaction, also inside another call, as wallets
 * send it that batch (EIP-7702) or have others send (ERC-4337): the depository's own logs name the
 * order and exactly its amount, whoever sent it. Null: it has none, or the bridge is direct, where
 * a message names no order. Throws where no node shows it, or its time, yet.
 */
export async function depositsIn(
	context: Pick<BridgeContext, "readers" | "core">,
	given: Followed & { signal: AbortSignal },
): Promise<DepositsFound | null> {
	const { bridge } = given;
	if (bridge.request.mode === "direct") return null;
	const { status, logs } = await minedReceipt(context, given);
	const bridgeId = bridge.depositOf ?? bridge.id;
	const deposits: DepositLog[] = [];
	for (let seq = bridge.quoteSeq ?? 0; status === "0x1" && seq > 0; seq--) {
		const quote = await readQuote(context.core.db, { bridgeId, seq });
		if (quote?.steps.at(-1)?.kind !== "deposit") continue;
		const { orderId, depository: to } = quote;
		for (const [place, log] of logs.entries()) {
			if (isDepositLog(log, { bridge, orderId, to })) deposits.push({ quote, place });
		}
	}
	if (deposits.length === 0) return null;
	deposits.sort((one, other) => one.place - other.place);
	return { deposits, minedAt: await timeOf(context, given) };
}

/** Reads when a deposit's block was made. Throws where no node says so yet. */
async function timeOf(
	{ readers, core }: Pick<BridgeContext, "readers" | "core">,
	{ bridge, hash, signal }: Followed & { signal: AbortSignal },
): Promise<Date> {
	const read = readers.own(bridge.route?.origin.chainId ?? 0);
	const known = { createdAt: bridge.createdAt, nowMs: core.clock.nowMs() };
	const minedAt = await readMinedAt(read, { hash, ...known, signal });
	if (minedAt === null) throw bridgeFault.chainUnreadable({ detail: "no time of its block" });
	return minedAt;
}

/**
 * Reads when the block of a bridge's deposit was made, within its life by our clock, as a chain's
 * clock is another one; null: it is in no block, or nobody says.
 */
export async function readMinedAt(
	read: ChainReader | null,
	given: { hash: Hex; createdAt: Date; nowMs: number; signal: AbortSignal },
): Promise<Date | null> {
	const { hash, createdAt, nowMs, signal } = given;
	if (read === null) return null;
	try {
		const receipt = minedSchema.parse(await read("eth_getTransactionReceipt", [hash], signal));
		if (receipt === null) return null;
		const number = hexQuantity(receipt.blockNumber);
		const block = blockSchema.parse(await read("eth_getBlockByNumber", [number, false], signal));
		const atMs = Math.max(Number(block.timestamp) * SECOND_MS, createdAt.getTime());
		return new Date(Math.min(atMs, nowMs));
	} catch {
		return null;
	}
}

/** Follows deposits that the provider names beside the bridge's own, where the chain shows them. */
export async function seekSecond(
	context: BridgeContext,
	given: Omit<Given, "seen" | "deposit"> & {
		deposit: Pick<Intent, "status"> | null;
		hashes: readonly Hex[];
		read(hash: Hex): Promise<SeenTransaction | null>;
	},
): Promise<void> {
	const { bridge, deposit, hashes, read, signal } = given;
	const known = new Set([
		bridge.depositHash,
		...(await readSecondHashes(context.core.db, bridge.id)),
	]);
	for (const hash of hashes.filter((one) => !known.has(one)).slice(0, SEEN_MAX)) {
		try {
			const seen = await read(hash);
			const intent = deposit ?? { status: "confirmed" };
			if (seen) await followSecond(context, { bridge, deposit: intent, seen, signal });
		} catch (error) {
			// It is named again in the next look.
			context.core.log.warn("a second deposit could not be looked up", { error });
		}
	}
}

/** Returns the newest quote of a bridge whose deposit a transaction is; null: of none. */
export async function quoteOfCall(
	{ core }: BridgeContext,
	bridge: Bridge,
	seen: SeenTransaction,
): Promise<StoredQuote | null> {
	const bridgeId = bridge.depositOf ?? bridge.id;
	for (let seq = bridge.quoteSeq ?? 0; seq > 0; seq--) {
		const quote = await readQuote(core.db, { bridgeId, seq });
		const step = quote?.steps.at(-1);
		if (quote && step?.kind === "deposit" && isCall(seen, step)) return quote;
	}
	return null;
}

/** Reads a mined transaction's receipt. Throws where no node shows it yet. */
async function minedReceipt(
	{ readers }: Pick<BridgeContext, "readers">,
	{ bridge, hash, signal }: { bridge: Bridge; hash: Hex; signal: AbortSignal },
): Promise<NonNullable<z.output<typeof receiptSchema>>> {
	const read = readers.own(bridge.route?.origin.chainId ?? 0);
	let receipt: z.output<typeof receiptSchema> = null;
	try {
		receipt = receiptSchema.parse(await read?.("eth_getTransactionReceipt", [hash], signal));
	} catch (error) {
		const detail = error instanceof Error ? error.name : "unreadable";
		throw bridgeFault.chainUnreadable({ detail });
	}
	if (receipt === null) throw bridgeFault.stepResultUnseen();
	return receipt;
}

/**
 * Returns whether a receipt's logs show that exactly a bridge's amount was taken for its order; in
 * direct mode, that a message was sent for it.
 */
export function isDepositIn(
	logs: Receipt["logs"],
	{ bridge, orderId, to }: { bridge: Bridge; orderId: string; to: Address },
): boolean {
	const { route } = bridge;
	if (bridge.request.mode === "direct") {
		const sent = sentBy(logs, to);
		return sent !== null && sent.from === route?.user && sent.raw === route.amountRaw;
	}
	return logs.some((log) => isDepositLog(log, { bridge, orderId, to }));
}

function isDepositLog(
	{ address, topics, data }: Receipt["logs"][number],
	{ bridge: { route }, orderId, to }: { bridge: Bridge; orderId: string; to: Address },
): boolean {
	if (address.toLowerCase() !== to) return false;
	const found = depositedBy({ topics, data });
	const isSame = found?.id === orderId && found.currency === route?.origin.currency;
	return isSame && found.raw === route?.amountRaw;
}

type Deposited = { id: Hex; currency: Address; raw: bigint };

function depositedBy(log: { topics: readonly Hex[]; data: Hex }): Deposited | null {
	try {
		const topics = log.topics as [Hex, ...Hex[]];
		const found = decodeEventLog({ abi: depositoryAbi, topics, data: log.data });
		const { id, amount: raw } = found.args;
		const isToken = found.eventName === "RelayErc20Deposit";
		const currency = isToken ? addressSchema.parse(found.args.token.toLowerCase()) : ZERO_ADDRESS;
		return { id, currency, raw };
	} catch {
		return null;
	}
}
