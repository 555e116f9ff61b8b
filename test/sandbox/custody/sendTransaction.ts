// Signs, stores and broadcasts the transactions of a wallet.

import { createHash, randomUUID } from "node:crypto";
import { type Address, type Hex, hashTypedData, isAddress, isHex, keccak256 } from "viem";
import { sign, signMessage, signTransaction } from "viem/accounts";
import { z } from "zod";
import { sleep } from "#core/time.ts";
import type { CustodyFault } from "./CustodyFault.ts";
import { type CustodyChain, type CustodyOffice, Denial } from "./CustodyOffice.ts";
import type { StoredTransaction } from "./createCustodyStore.ts";
import { followTransaction } from "./createPostbox.ts";
import type { HeldWallet } from "./people.ts";

export type RpcAsked = {
	wallet: HeldWallet;
	/** After this time nothing may be broadcast. */
	expiresAtMs: number | null;
	fault: CustodyFault | null;
};

type SendBody = Extract<RpcBody, { method: "eth_sendTransaction" }>;

const GAS_DEFAULT = 500_000n;
const FEE_DEFAULT = 3_000_000_000n;
const TIP_DEFAULT = 100_000_000n;
const NONCE_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const quantity = z.string().transform(Number);

const LATE_MS = 1_000;
const SIGNED_KEPT_MAX = 10_000;

const hex = z.custom<Hex>((value) => isHex(value));
const address = z.custom<Address>((value) => typeof value === "string" && isAddress(value));
/** A quantity as hex or as an integer; the provider takes both. */
const anyQuantity = z
	.union([hex, z.int().min(0)])
	.transform((value) => BigInt(value))
	.pipe(z.bigint().max(2n ** 256n - 1n));

const Transaction = z.object({
	type: z.literal(2).optional(),
	chain_id: anyQuantity.optional(),
	from: address.optional(),
	to: address,
	value: anyQuantity.default(0n),
	data: hex.default("0x"),
	nonce: anyQuantity.optional(),
	gas_limit: anyQuantity.optional(),
	max_fee_per_gas: anyQuantity.optional(),
	max_priority_fee_per_gas: anyQuantity.optional(),
});
export type RpcTransaction = z.output<typeof Transaction>;

const chain_type = z.literal("ethereum").optional();

/** The requests that a wallet accepts. */
export const rpcBody = z.discriminatedUnion("method", [
	z.object({
		method: z.literal("eth_sendTransaction"),
		chain_type,
		caip2: z.string(),
		reference_id: z.string().min(1).max(64).optional(),
		params: z.object({ transaction: Transaction }),
	}),
	z.object({
		method: z.literal("eth_signTransaction"),
		chain_type,
		params: z.object({ transaction: Transaction }),
	}),
	z.object({
		method: z.literal("personal_sign"),
		chain_type,
		params: z.discriminatedUnion("encoding", [
			z.object({ encoding: z.literal("utf-8"), message: z.string() }),
			z.object({
				encoding: z.literal("hex"),
				message: z.string().regex(/^(?:[0-9a-fA-F]{2})*$/),
			}),
		]),
	}),
	z.object({
		method: z.literal("eth_signTypedData_v4"),
		chain_type,
		params: z.object({
			typed_data: z.object({
				domain: z.record(z.string(), z.unknown()),
				types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
				primary_type: z.string(),
				message: z.record(z.string(), z.unknown()),
			}),
		}),
	}),
]);
export type RpcBody = z.output<typeof rpcBody>;

/** Signs, stores, broadcasts: in this order, so that a broadcast transaction is always stored. */
export async function sendTransaction(
	office: CustodyOffice,
	body: SendBody,
	{ wallet, expiresAtMs, fault }: RpcAsked,
): Promise<unknown> {
	const { store, clock } = office;
	const referenceId = body.reference_id ?? null;
	const chain = office.chainOf(body.caip2);
	if (!chain) throw new Denial(400, "Unsupported chain");
	const isTaken = () => referenceId !== null && store.byReference(referenceId) !== null;
	if (isTaken()) throw new Denial(400, "reference_id is already in use");
	const { raw, hash, nonce } = await signHeld(wallet, {
		chain,
		transaction: body.params.transaction,
	});
	// Another request may have taken the reference while this was signed, and its time may be over.
	if (isTaken()) throw new Denial(400, "reference_id is already in use");
	if (expiresAtMs !== null && clock.nowMs() >= expiresAtMs) {
		throw new Denial(400, "The request has expired");
	}
	const transaction: StoredTransaction = {
		id: randomUUID(),
		referenceId,
		walletId: wallet.id,
		caip2: body.caip2,
		sender: wallet.address,
		nonce,
		hash,
		status: "pending",
		createdAtMs: clock.nowMs(),
		broadcasts: 0,
	};
	const before = fault?.kind === "claims" ? store.lastOf(wallet.id) : null;
	store.insert(transaction);
	keepSigned(office, transaction.id, raw);
	followTransaction(office, transaction.id);
	if (fault?.kind === "late_broadcast") {
		office.later((stopped) =>
			broadcastLate(office, { transaction, raw, expiresAtMs, fault, stopped }),
		);
	} else if (fault?.kind === "claims") {
		return await claim(office, { transaction, raw, fault, before });
	} else {
		await broadcast(office, transaction, raw);
		if (fault?.kind === "twice") await broadcast(office, transaction, raw).catch(() => {});
	}
	return told(transaction, hash);
}

/** Does what a wallet was asked to do; the caller has been checked before. */
export async function performRpc(
	office: CustodyOffice,
	body: RpcBody,
	asked: RpcAsked,
): Promise<unknown> {
	const { privateKey } = asked.wallet;
	switch (body.method) {
		case "eth_sendTransaction":
			return { method: body.method, data: await sendTransaction(office, body, asked) };
		case "eth_signTransaction": {
			const { transaction } = body.params;
			const named = transaction.chain_id;
			const chain = named === undefined ? office.firstChain : office.chainOf(`eip155:${named}`);
			if (!chain) throw new Denial(400, "Unsupported chain");
			const { raw } = await signHeld(asked.wallet, { chain, transaction });
			return { method: body.method, data: { signed_transaction: raw, encoding: "rlp" } };
		}
		case "personal_sign": {
			const { encoding, message } = body.params;
			const raw: Hex = `0x${message}`;
			const text = encoding === "utf-8" ? message : { raw };
			const signature = await signMessage({ message: text, privateKey });
			return { method: body.method, data: { signature, encoding: "hex" } };
		}
		case "eth_signTypedData_v4": {
			const { domain, types, primary_type: primaryType, message } = body.params.typed_data;
			const hash = hashOf({ domain, types, primaryType, message });
			const signature = await sign({ hash, privateKey, to: "hex" });
			return { method: body.method, data: { signature, encoding: "hex" } };
		}
	}
}

/** Signs a transaction; missing members are filled in, the nonce by the node's count. */
async function signHeld(
	wallet: HeldWallet,
	{ chain, transaction }: { chain: CustodyChain; transaction: RpcTransaction },
): Promise<{ raw: Hex; hash: Hex; nonce: number }> {
	const { chain_id, from, to, value, data, nonce: wanted } = transaction;
	if (chain_id !== undefined && chain_id !== BigInt(chain.id)) {
		throw new Denial(400, "Transaction chain_id does not match");
	}
	if (from !== undefined && from.toLowerCase() !== wallet.address.toLowerCase()) {
		throw new Denial(400, "Transaction from does not match the wallet");
	}
	if (wanted !== undefined && wanted > NONCE_MAX) throw new Denial(400, "Invalid nonce");
	const nonce =
		wanted === undefined
			? quantity.parse(await chain.rpc.call("eth_getTransactionCount", [wallet.address, "pending"]))
			: Number(wanted);
	const maxFeePerGas = transaction.max_fee_per_gas ?? FEE_DEFAULT;
	const tip = transaction.max_priority_fee_per_gas ?? TIP_DEFAULT;
	if (tip > maxFeePerGas) throw new Denial(400, "The tip is more than the fee");
	const raw = await signTransaction({
		privateKey: wallet.privateKey,
		transaction: {
			type: "eip1559",
			chainId: chain.id,
			to,
			value,
			data,
			nonce,
			gas: transaction.gas_limit ?? GAS_DEFAULT,
			maxFeePerGas,
			maxPriorityFeePerGas: tip,
		},
	});
	return { raw, hash: keccak256(raw), nonce };
}

/** Keeps the newest ones only: a sandbox may run for weeks. */
function keepSigned({ signed }: CustodyOffice, id: string, raw: Hex): void {
	signed.set(id, { raw, isDisowned: false });
	const [oldest] = signed.keys();
	if (signed.size > SIGNED_KEPT_MAX && oldest !== undefined) signed.delete(oldest);
}

async function broadcastLate(
	office: CustodyOffice,
	late: {
		transaction: StoredTransaction;
		raw: Hex;
		expiresAtMs: number | null;
		fault: CustodyFault;
		stopped: AbortSignal;
	},
): Promise<void> {
	const { transaction, raw, expiresAtMs, fault, stopped } = late;
	await sleep(fault.delayMs ?? LATE_MS, stopped);
	const isPast = expiresAtMs !== null && office.clock.nowMs() >= expiresAtMs;
	if (stopped.aborted || (isPast && !fault.pastExpiry)) {
		if (!stopped.aborted) office.store.setStatus(transaction.id, "failed");
		return;
	}
	await broadcast(office, transaction, raw);
}

async function broadcast(
	office: CustodyOffice,
	{ id, caip2 }: StoredTransaction,
	raw: Hex,
): Promise<void> {
	office.store.countBroadcast(id);
	try {
		await office.chainOf(caip2)?.rpc.call("eth_sendRawTransaction", [raw]);
		office.store.setStatus(id, "broadcasted");
	} catch (cause) {
		const said = cause instanceof Error ? cause.message : "";
		if (/already (?:known|imported)/i.test(said)) return;
		const isPoor = /insufficient funds/i.test(said);
		office.store.setStatus(id, isPoor ? "failed" : "provider_error");
		throw isPoor
			? new Denial(400, "Wallet has insufficient funds", "insufficient_funds")
			: new Denial(400, "Transaction failed to broadcast", "transaction_broadcast_failure");
	}
}

/** Sends or not, and answers and lists what the fault orders. */
async function claim(
	office: CustodyOffice,
	given: {
		transaction: StoredTransaction;
		raw: Hex;
		fault: CustodyFault;
		/** The wallet's previous transaction. */
		before: StoredTransaction | null;
	},
): Promise<unknown> {
	const { transaction, raw, fault, before } = given;
	const { id, hash } = transaction;
	const { listed = "failed", lasting: isLasting = false, status = 200 } = fault;
	const named = {
		own: hash,
		nobodys: `0x${createHash("sha256").update(id).digest("hex")}`,
		previous: before?.hash ?? hash,
		none: null,
	}[fault.hash ?? "own"];
	office.store.claim(id, { status: listed, hash: named, isLasting });
	if (fault.sends) await broadcast(office, transaction, raw);
	else office.store.setStatus(id, "failed");
	if (!fault.sends && named !== hash) office.signed.set(id, { raw, isDisowned: true });
	if (status !== 200) throw new Denial(status, "Something is wrong", fault.code);
	return told(transaction, named ?? hash);
}

function told({ id, caip2, referenceId }: StoredTransaction, hash: string) {
	return {
		hash,
		caip2,
		transaction_id: id,
		...(referenceId !== null && { reference_id: referenceId }),
	};
}

function hashOf(typedData: {
	domain: Record<string, unknown>;
	types: Record<string, { name: string; type: string }[]>;
	primaryType: string;
	message: Record<string, unknown>;
}): Hex {
	try {
		return hashTypedData(typedData);
	} catch {
		throw new Denial(400, "Invalid typed data");
	}
}
