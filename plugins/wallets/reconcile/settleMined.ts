// Settles what is mined as it was planned, and judges what a chain shows of it.

import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { SeenTransaction, Sighting } from "#plugins/wallets/chain/readSigned.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Missing } from "#plugins/wallets/IntentKind.ts";
import {
	type IntentEvent,
	moveIntent,
	nextStatus,
	noteMove,
} from "#plugins/wallets/intent/Intent.ts";
import type { Denial } from "#plugins/wallets/intent/intentError.ts";
import type { Plan, Receipt } from "#plugins/wallets/model.ts";
import { nextLookMs, RIDER_LOOK_MS } from "#plugins/wallets/reconcile/looks.ts";
import { followSpend, spendOf } from "#plugins/wallets/spend/spend.ts";
import { type Submission, selfTransfer } from "#plugins/wallets/submission/submission.ts";

/** `other`: the chain knows the hash as another transaction. */
export type Seen =
	| {
			kind: "seen";
			transactionHash: Hex;
			sighting: Sighting;
			/** A second source says too that it was reverted. */
			isAgreed?: boolean;
	  }
	| { kind: "other"; sighting: Sighting };

/** Holds the fields that a transaction must have to be the planned one. */
export type Expected = Pick<Plan, "from" | "to" | "valueRaw" | "data">;

export type SightingToNote = {
	submission: Submission;
	/** Null: it was not asked for by itself, the block that it is in is on the chain. */
	sighting: Sighting | null;
	/** The time of the next lookup; null: it was set before this one. */
	lookAt?: Date | null;
};

/** Holds a submission that was mined as planned, with all that was paid for. */
export type MinedToSettle = {
	submission: Submission;
	transactionHash: Hex;
	sighting: Sighting;
	receipt: Receipt;
	/** The part of the reservation that was spent; null: all of it. */
	spentRaw: bigint | null;
};

/**
 * Settles what is sent and mined, in one statement for all: the submissions, the moves of their
 * intents, and their spends where an amount is reserved and neither spent nor released. What
 * another process moved meanwhile is left alone.
 */
export async function settleMined(
	deps: ExecutionDeps,
	tx: Tx,
	{ mined, at }: { mined: readonly MinedToSettle[]; at: Date },
): Promise<void> {
	if (mined.length === 0) return;
	const to = nextStatus("submitted", "mined");
	assert(to !== null, "what is submitted can be mined");
	const depth = deps.settings.finalDepthBlocks;
	const lookAt = lookTimes(mined, at);
	const rows = await tx.query<{ intentId: string; isMoved: boolean }>(
		`with own as (
			update wallets.submission s set state = 'mined', block_number = f.block_number,
				block_hash = f.block_hash, seen_at = $1, seen_nonce = f.nonce,
				from_block = least(coalesce(s.from_block, f.free_at), f.block_number - 1),
				look_at = f.look_at,
				signed = coalesce(f.signed, s.signed)
			from unnest($2::uuid[], $3::bytea[], $4::int8[], $5::bytea[], $6::int8[], $7::int8[],
				$8::timestamptz[], $10::bytea[], $11::numeric[])
				as f (id, hash, block_number, block_hash, nonce, free_at, look_at, signed, spent_raw)
			where s.id = f.id and s.state = 'sent' and s.transaction_hash = f.hash
				and s.final_at is null
			returning s.intent_id, f.spent_raw
		), moved as (
			update wallets.intent set status = $9, error_code = null, error = null, changed_at = $1
			from own where id = own.intent_id and status = 'submitted' returning id
		), noted as (
			${noteMove({ event: "'mined'", from: "'submitted'", to: "$9", at: "$1" })}
		), paid as (
			select reserved.*, own.spent_raw
			from moved join own on own.intent_id = moved.id join wallets.spend_entry reserved
				on reserved.intent_id = moved.id and reserved.kind = 'reserve'
			where 0 = (
				select coalesce(sum(case when kind in ('spend', 'release') then 1
					when kind in ('unspend', 'unrelease') then -1 else 0 end), 0)
				from wallets.spend_entry where intent_id = moved.id
			)
		), spent as (
			${spendOf("paid", "$1::timestamptz")}
		)
		select own.intent_id as "intentId", moved.id is not null as "isMoved"
		from own left join moved on moved.id = own.intent_id`,
		[
			at,
			mined.map(({ submission }) => submission.id),
			mined.map(({ transactionHash }) => hexToBytes(transactionHash)),
			mined.map(({ receipt }) => receipt.blockNumber),
			mined.map(({ receipt }) => hexToBytes(receipt.blockHash)),
			mined.map(({ sighting }) => sighting.transaction.nonce),
			mined.map(({ receipt }) => Math.max(0, receipt.blockNumber - depth)),
			lookAt,
			to,
			mined.map(({ sighting: { signed } }) => (signed ? hexToBytes(signed) : null)),
			mined.map(({ spentRaw }) => (spentRaw === null ? null : String(spentRaw))),
		],
	);
	// Where an intent stands elsewhere than its submission says, it is found first of all.
	const costs = new Map(mined.map(({ submission, spentRaw }) => [submission.intentId, spentRaw]));
	for (const { intentId, isMoved } of rows) {
		const spentRaw = costs.get(intentId) ?? null;
		if (!isMoved) await tellReceipt(tx, { intentId, succeeded: true, missing: null, spentRaw, at });
	}
	deps.log.info("transactions of intents are mined", { count: rows.length });
}

/** Says whether what the chain knows of a hash is the transaction that was planned. */
export function judgeSighting(
	{ log }: Pick<ExecutionDeps, "log">,
	given: { submission: Submission; plan: Expected; hash: Hex; sighting: Sighting },
): Seen {
	const { submission, plan, hash, sighting } = given;
	if (isPlanned(sighting.transaction, { plan, nonce: nonceExpected(submission) })) {
		return { kind: "seen", transactionHash: hash, sighting };
	}
	// Warn only about a hash that was told as the payment; a cancellation has another hash.
	if (hash === submission.transactionHash) {
		log.warn("a hash is not of the transaction that was planned", {
			intentId: submission.intentId,
			transactionHash: hash,
		});
	}
	return { kind: "other", sighting };
}

/** Says whether two sightings have the same receipt, or none: the same block, with the same end. */
export function isSameReceipt(one: Sighting | null, other: Sighting | null): boolean {
	return (
		one?.receipt?.blockHash === other?.receipt?.blockHash &&
		one?.receipt?.succeeded === other?.receipt?.succeeded
	);
}

/**
 * Returns what a submission's transaction is on chain: its intent's plan, or nothing sent to
 * itself.
 */
export function expectedOf({ purpose, chainId, sender }: Submission, plan: Plan): Expected {
	return purpose === "pay" ? plan : selfTransfer({ chainId, from: sender });
}

/**
 * Records that nodes know transactions, where that changes nothing for their intents: what is
 * needed once no node knows one (the time, its nonce, its signed bytes), and that one that is deep
 * enough needs no more lookups. What another process moved meanwhile is left alone.
 */
export async function noteSightings(
	deps: ExecutionDeps,
	tx: Tx,
	{ seen, at }: { seen: readonly SightingToNote[]; at: Date },
): Promise<void> {
	if (seen.length === 0) return;
	await tx.execute(
		`update wallets.submission s set seen_at = $1::timestamptz,
			seen_nonce = coalesce(f.nonce, s.seen_nonce),
			from_block = least(coalesce(s.from_block, f.free_at), f.before),
			signed = case when not f.is_final then coalesce(f.signed, s.signed) end,
			look_at = coalesce(f.look_at, s.look_at),
			final_at = case when f.is_final then $1::timestamptz end,
			final_tx = case when f.is_final then core.book_tx() end
		from unnest($2::uuid[], $3::text[], $4::int8[], $5::int8[], $6::bytea[], $7::timestamptz[],
			$8::boolean[], $9::int8[])
			as f (id, state, nonce, free_at, signed, look_at, is_final, before)
		where s.id = f.id and s.state = f.state and s.final_at is null`,
		[
			at,
			seen.map(({ submission }) => submission.id),
			seen.map(({ submission }) => submission.state),
			seen.map(({ sighting }) => sighting?.transaction.nonce ?? null),
			seen.map(({ sighting }) => sighting && freeAt(deps, sighting)),
			seen.map(({ sighting }) => (sighting?.signed ? hexToBytes(sighting.signed) : null)),
			seen.map(({ lookAt }) => lookAt ?? null),
			seen.map(({ sighting }) => sighting !== null && isFinal(deps, sighting)),
			seen.map(({ sighting }) => sighting && notYetMinedAt(sighting)),
		],
	);
}

/** Returns whether it is mined so deep that no reorg removes it. */
export function isFinal(
	{ settings }: Pick<ExecutionDeps, "settings">,
	{ receipt, headBlock }: Sighting,
): boolean {
	return receipt !== null && headBlock - receipt.blockNumber >= settings.finalDepthBlocks;
}

/**
 * Moves an intent by its receipt, and what was reserved for it. Answers by which event. Where it is
 * in doubt whether it arrived, the intent is `uncertain` and its spend stays reserved.
 */
export async function tellReceipt(
	tx: Tx,
	told: {
		intentId: string;
		succeeded: boolean;
		missing: Missing | null;
		spentRaw: bigint | null;
		at: Date;
		/** The details that are recorded where nothing is missing. */
		detail?: string | null;
	},
): Promise<IntentEvent> {
	const { intentId, succeeded, missing, spentRaw, at } = told;
	const event = succeeded ? eventOf(missing) : "reverted";
	const errorCode = succeeded ? null : "reverted_on_chain";
	const denial = succeeded && missing ? reasonOf(missing) : null;
	const detail = missing?.detail ?? told.detail ?? null;
	// From `failed` and `expired` a receipt is first of all found.
	const move = { intentId, event, at, errorCode, detail, denial };
	const moved = await moveIntent(tx, move);
	if (moved === null) {
		await moveIntent(tx, { intentId, event: "found", at });
		await moveIntent(tx, move);
	}
	if (event === "doubt") return event;
	await followSpend(tx, { intentId, move: succeeded ? "spend" : "release", spentRaw, at });
	return event;
}

/** Returns the part of a reason that its owner is shown. */
function reasonOf({ isDoubtful: _, ...denial }: Missing): Denial {
	return denial;
}

/** Returns what a receipt of success is for its intent. */
function eventOf(missing: Missing | null): IntentEvent {
	if (missing === null) return "mined";
	return missing.isDoubtful ? "doubt" : "missed";
}

/** Returns when each is looked at: one of each block soon, for all that are in it. */
function lookTimes(mined: readonly MinedToSettle[], at: Date): Date[] {
	const blocks = new Set<string>();
	return mined.map(({ submission, receipt }) => {
		const block = `${submission.chainId} ${receipt.blockHash}`;
		const isRider = blocks.has(block);
		blocks.add(block);
		const ownMs = nextLookMs({ ...submission, state: "mined" }, at.getTime());
		return new Date(at.getTime() + (isRider ? RIDER_LOOK_MS : ownMs));
	});
}

function isPlanned(
	transaction: SeenTransaction,
	{ plan, nonce }: { plan: Expected; nonce: number | null },
): boolean {
	return (
		transaction.from === plan.from &&
		transaction.to === plan.to &&
		transaction.valueRaw === plan.valueRaw &&
		transaction.data === plan.data &&
		(nonce === null || transaction.nonce === nonce)
	);
}

/**
 * Returns the nonce that it must have; null where any will do: a payment's is chosen by its owner's
 * wallet. A cancellation that this wallet signs is one under the nonce that was asked for alone.
 */
function nonceExpected({ nonce, seenNonce, purpose }: Submission): number | null {
	return nonce ?? (purpose === "pay" ? null : seenNonce);
}

/** Returns the block below which its nonce is free, after any reorganisation. */
function freeAt({ settings }: ExecutionDeps, { receipt, headBlock }: Sighting): number {
	return Math.max(0, (receipt?.blockNumber ?? headBlock) - settings.finalDepthBlocks);
}

/**
 * Returns the newest block known not to have it: it was planned no later, whatever head a node
 * reported then.
 */
function notYetMinedAt({ receipt, headBlock }: Sighting): number {
	return receipt ? Math.max(0, receipt.blockNumber - 1) : headBlock;
}
