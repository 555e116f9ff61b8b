import { hexToBytes } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { SendOutcome } from "#plugins/custody/contract.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { HandOver } from "#plugins/wallets/execution/handOver.ts";
import { moveIntent, nextStatus, noteMove } from "#plugins/wallets/intent/Intent.ts";
import type { Plan } from "#plugins/wallets/model.ts";
import { planCodec } from "#plugins/wallets/plan.ts";
import { followSpend } from "#plugins/wallets/spend/spend.ts";
import {
	type Account,
	chooseNonce,
	FIRST_LOOK_AFTER_MS,
	FIRST_LOOK_BEHIND_HEADS_MS,
	type NonceQueue,
} from "#plugins/wallets/submission/nonceQueue.ts";
import { type Beginning, recordSent } from "#plugins/wallets/submission/submission.ts";

export type Reservation = {
	intentId: string;
	plan: Plan;
	planHash: Hex;
	gasLimit: bigint;
	usdMicros: bigint;
	sender: Address;
	submissionId: string;
	/** Null: it waits in line, and is handed over by nobody yet. */
	beginning: Beginning | null;
	session: string;
	at: Date;
	expiresAt: Date;
	/** The chain's head when it was planned. */
	headBlock: number;
};

/** Why nothing of an account is handed over now. */
export type NonceWait = "sending" | "in_doubt" | "unproven";

type Given = { given: HandOver; outcome: SendOutcome };

/**
 * Who said that it sent, and named a hash that is not this one's, signed something all the same:
 * its silence proves nothing any more. So it stays in doubt until its nonce is used.
 */
const SAID_SENT_MS = 100 * 365 * 86_400_000;

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
			update wallets.intent set status = $2, error_code = null, changed_at = $3, plan = $4,
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
 * Writes what handing over came to. A reconciler that thought this process dead may have been
 * faster: what it found out stands, and only what is still open is moved.
 *
 * What left is one statement that travels with its commit. Where that finds things otherwise, the
 * rest is another transaction: a hash that is written is looked up whatever its intent says.
 *
 * Answers when it was written, where nobody was faster, that it left.
 */
export async function recordOutcome(
	deps: ExecutionDeps,
	{ given, outcome }: Given,
): Promise<number | null> {
	const { steps, commits } = deps;
	const { submissionId, profileId } = given;
	if (given.purpose !== "pay") {
		await recordSelfTransfer(deps, { given, outcome });
		return null;
	}
	const at = new Date(deps.clock.nowMs());
	const lookAt = firstLookAt(deps, given, at);
	let sent = { isWritten: false, isMoved: false };
	if (outcome.kind === "sent") {
		const record = async (tx: Tx) => {
			sent = await recordSent(tx, { submissionId, at, lookAt, ...outcome });
		};
		await steps.run("commit.outcome", () =>
			commits.together(profileId, async (tx) => {
				tx.beforeCommit(() => record(tx), { singleStatement: true });
			}),
		);
		if (sent.isMoved) return at.getTime();
	}
	await steps.run("commit.outcome", () =>
		commits.together(profileId, async (tx) => {
			const { intentId } = given;
			if (sent.isWritten) await recordFound(tx, { submissionId, intentId, at });
			else await recordNotSent(tx, { given, outcome, at });
		}),
	);
	return null;
}

/**
 * The nonce under which an account's next transaction is handed over, or why it has to wait. Counts
 * that our records do not explain are remembered until a later block's answer.
 */
export function takeNonce(
	{ nonceClaims, log }: Pick<ExecutionDeps, "nonceClaims" | "log">,
	given: { of: Account; account: AccountState; queue: NonceQueue },
): { kind: "nonce"; nonce: number } | { kind: "wait"; why: NonceWait } {
	const { of, account, queue } = given;
	if (queue.isSending) return { kind: "wait", why: "sending" };
	const { minedNonce: mined, pendingNonce: pending, headBlock } = account;
	const confirmed = nonceClaims.confirmed(of, headBlock);
	const choice = chooseNonce(queue, { mined, pending }, { confirmed });
	switch (choice.kind) {
		case "nonce":
			nonceClaims.forget(of);
			return choice;
		case "in_doubt":
			return { kind: "wait", why: "in_doubt" };
		default: {
			nonceClaims.note(of, { mined, headBlock });
			const { ownCount } = queue;
			const counts = { ...of, mined, pending, ownCount, headBlock };
			log.warn("a node counts transactions of a wallet that we do not know of", counts);
			return { kind: "wait", why: "unproven" };
		}
	}
}

/** What became of a cancellation moves its intent only once it is mined, by what is looked up. */
async function recordSelfTransfer(deps: ExecutionDeps, { given, outcome }: Given): Promise<void> {
	const { submissionId, profileId } = given;
	const at = new Date(deps.clock.nowMs());
	const lookAt = firstLookAt(deps, given, at);
	await deps.steps.run("commit.outcome", () =>
		deps.commits.together(profileId, async (tx) => {
			const sent = outcome.kind === "sent" ? { submissionId, at, lookAt, ...outcome } : null;
			if (sent && (await recordSent(tx, sent)).isWritten) return;
			const state = outcome.kind === "refused" ? "never" : "doubtful";
			await tx.execute(
				"update wallets.submission set state = $2 where id = $1 and state = 'sending'",
				[submissionId, state],
			);
		}),
	);
}

/** Where each new block is searched anyway, the clock gives it time to be found there. */
function firstLookAt(
	{ looks }: Pick<ExecutionDeps, "looks">,
	{ transaction: { chainId } }: HandOver,
	at: Date,
): Date {
	const isSearchedFor = looks.followed.has(chainId);
	const waitMs = isSearchedFor ? FIRST_LOOK_BEHIND_HEADS_MS : FIRST_LOOK_AFTER_MS;
	return new Date(at.getTime() + waitMs);
}

/**
 * It was in doubt already, and is found. Between the two transactions its receipt may have been
 * read: then the submission stands elsewhere, and what was made of it is the last word.
 */
async function recordFound(
	tx: Tx,
	{ submissionId, intentId, at }: { submissionId: string; intentId: string; at: Date },
): Promise<void> {
	const open = await tx.query(
		"select from wallets.submission where id = $1 and state = 'sent' for update",
		[submissionId],
	);
	if (open.length > 0) await moveIntent(tx, { intentId, event: "found", at });
}

/** Also where it was said to be sent: by a hash that another stands by nobody can say so. */
async function recordNotSent(tx: Tx, { given, outcome, at }: Given & { at: Date }): Promise<void> {
	const { submissionId, intentId } = given;
	const state = outcome.kind === "refused" ? "never" : "doubtful";
	const written = await tx.execute(
		`update wallets.submission set state = $2, valid_until = coalesce($3, valid_until)
		where id = $1 and state = 'sending'`,
		[submissionId, state, outcome.kind === "sent" ? new Date(at.getTime() + SAID_SENT_MS) : null],
	);
	if (written === 0) return;
	if (outcome.kind !== "refused") {
		const detail = outcome.kind === "unknown" ? outcome.detail : "the hash stands for another";
		await moveIntent(tx, { intentId, event: "doubt", at, detail });
		return;
	}
	const { code: errorCode, detail } = outcome;
	await moveIntent(tx, { intentId, event: "refused", at, errorCode, detail });
	await followSpend(tx, { intentId, move: "release", at });
}
