import { createHash, randomUUID } from "node:crypto";
import type { Hex } from "viem";
import { sleep } from "#core/time/sleep.ts";
import type { StoredTransaction } from "../createCustodyStore.ts";
import type { CustodyFault } from "../faults/CustodyFault.ts";
import { followTransaction } from "../webhook/followTransaction.ts";
import type { CustodyOffice } from "./CustodyOffice.ts";
import { Denial } from "./Denial.ts";
import type { RpcAsked } from "./performRpc.ts";
import type { RpcBody } from "./rpcBody.ts";
import { signHeld } from "./signHeld.ts";

type SendBody = Extract<RpcBody, { method: "eth_sendTransaction" }>;

const LATE_MS = 1_000;
const SIGNED_KEPT_MAX = 10_000;

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
	// Another request may have taken the reference while this was signed.
	if (isTaken()) throw new Denial(400, "reference_id is already in use");
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

/** Keeps the newest ones only: a sandbox may run for weeks. */
function keepSigned({ signed }: CustodyOffice, id: string, raw: Hex): void {
	signed.set(id, { raw, isDisowned: false });
	const [oldest] = signed.keys();
	if (signed.size > SIGNED_KEPT_MAX && oldest !== undefined) signed.delete(oldest);
}

function told({ id, caip2, referenceId }: StoredTransaction, hash: string) {
	return {
		hash,
		caip2,
		transaction_id: id,
		...(referenceId !== null && { reference_id: referenceId }),
	};
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
