import { randomUUID } from "node:crypto";
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

/** Signs, remembers, broadcasts: in this order, so that what was broadcast is always known. */
export async function sendTransaction(
	office: CustodyOffice,
	body: SendBody,
	{ wallet, expiresAtMs, fault }: RpcAsked,
): Promise<unknown> {
	const { store, clock } = office;
	const referenceId = body.reference_id ?? null;
	if (body.caip2 !== `eip155:${office.chainId}`) throw new Denial(400, "Unsupported chain");
	const isTaken = () => referenceId !== null && store.byReference(referenceId) !== null;
	if (isTaken()) throw new Denial(400, "reference_id is already in use");
	const { raw, hash, nonce } = await signHeld(office, wallet, body.params.transaction);
	// Somebody else may have taken it while this was signed.
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
	store.insert(transaction);
	followTransaction(office, transaction.id);
	if (fault?.kind === "late_broadcast") {
		office.later((stopped) =>
			broadcastLate(office, { transaction, raw, expiresAtMs, fault, stopped }),
		);
	} else {
		await broadcast(office, transaction, raw);
		if (fault?.kind === "twice") await broadcast(office, transaction, raw).catch(() => {});
	}
	return {
		hash,
		caip2: body.caip2,
		transaction_id: transaction.id,
		...(referenceId !== null && { reference_id: referenceId }),
	};
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
	{ id }: StoredTransaction,
	raw: Hex,
): Promise<void> {
	office.store.countBroadcast(id);
	try {
		await office.rpc.call("eth_sendRawTransaction", [raw]);
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
