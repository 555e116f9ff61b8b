// Reserves an intent's spend, and picks the nonce that it is sent under.

import { hexToBytes } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { nextStatus, noteMove } from "#plugins/wallets/intent/Intent.ts";
import type { Plan } from "#plugins/wallets/model.ts";
import { planCodec } from "#plugins/wallets/plan.ts";
import {
	type Account,
	chooseNonce,
	type NonceQueue,
} from "#plugins/wallets/submission/nonceQueue.ts";
import type { Beginning } from "#plugins/wallets/submission/submission.ts";

export type Reservation = {
	intentId: string;
	plan: Plan;
	planHash: Hex;
	gasLimit: bigint;
	usdMicros: bigint;
	sender: Address;
	submissionId: string;
	/** The handover that begins now; null: the intent waits in the queue. */
	beginning: Beginning | null;
	session: string;
	at: Date;
	expiresAt: Date;
	/** The chain's head when it was planned. */
	headBlock: number;
};

/** Names why nothing of an account is handed over now. */
export type NonceWait = "sending" | "in_doubt" | "unproven";

/**
 * Reserves an intent's spend and records its transaction, in one statement: the plan it is sent by,
 * its move, the ledger's entry, the submission. False where it is not `created` any more, and then
 * nothing is written. The caller holds the profile's row, and has decided on sums read under it.
 */
export async function reserveIntent(tx: Tx, reservation: Reservation): Promise<boolean> {
	const { intentId, plan, usdMicros, gasLimit, beginning, at } = reservation;
	const to = nextStatus("created", "reserve");
	assert(to !== null, "what is created can be reserved for");
	const written = await tx.execute(
		`with moved as (
			update wallets.intent set status = $2, error_code = null, error = null,
				changed_at = $3, plan = $4,
				plan_hash = $5, expires_at = $6, planned_block = $20
			where id = $1 and status = 'created' returning id, profile_id, wallet_id, chain_id
		), noted as (
			${noteMove({ event: "'reserve'", from: "'created'", to: "$2", at: "$3" })}
		), reserved as (
			insert into wallets.spend_entry
				(intent_id, profile_id, wallet_id, kind, chain_id, currency, amount_raw, usd_micros, at)
			select id, profile_id, wallet_id, 'reserve', chain_id, $7::bytea, $8::numeric, $9::int8, $3
			from moved
		)
		insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, gas_limit,
			state, nonce, transaction, from_block, session, sent_at, valid_until, created_at)
		select $10::uuid, id, 0, wallet_id, chain_id, $11::bytea, $12::numeric, $13, $14::int8,
			$15::jsonb, $16::int8, $17, $18::timestamptz, $19::timestamptz, $3
		from moved`,
		[
			intentId,
			to,
			at,
			JSON.stringify(planCodec.write(plan)),
			hexToBytes(reservation.planHash),
			reservation.expiresAt,
			hexToBytes(plan.spend.currency),
			plan.spend.raw,
			usdMicros,
			reservation.submissionId,
			hexToBytes(reservation.sender),
			gasLimit,
			beginning ? "sending" : "queued",
			beginning?.transaction.nonce ?? null,
			beginning?.stored ?? null,
			beginning?.fromBlock ?? null,
			reservation.session,
			beginning?.sentAt ?? null,
			beginning?.validUntil ?? null,
			reservation.headBlock,
		],
	);
	return written > 0;
}

/**
 * Returns the nonce under which an account's next transaction is handed over, or why it has to
 * wait. Counts that our records do not explain are remembered for operators.
 */
export function takeNonce(
	{ nonceClaims, log }: Pick<ExecutionDeps, "nonceClaims" | "log">,
	given: { of: Account; account: AccountState; queue: NonceQueue },
): { kind: "nonce"; nonce: number } | { kind: "wait"; why: NonceWait } {
	const { of, account, queue } = given;
	if (queue.isSending) return { kind: "wait", why: "sending" };
	const { minedNonce: mined, pendingNonce: pending, headBlock } = account;
	const choice = chooseNonce(queue, { mined, pending }, queue.past);
	switch (choice.kind) {
		case "nonce":
			nonceClaims.forget(of);
			return choice;
		case "in_doubt":
			return { kind: "wait", why: "in_doubt" };
		default: {
			nonceClaims.note(of);
			const { ownCount } = queue;
			const counts = { ...of, mined, pending, ownCount, headBlock };
			log.warn("a node counts transactions of a wallet that we do not know of", counts);
			return { kind: "wait", why: "unproven" };
		}
	}
}
