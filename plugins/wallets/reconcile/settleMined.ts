import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Sighting } from "#plugins/wallets/chain/sightingCodec.ts";
import type { Denial, Receipt } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { IntentEvent } from "#plugins/wallets/intent/IntentStatus.ts";
import { nextStatus } from "#plugins/wallets/intent/intentMachine.ts";
import { moveIntent, noteMove } from "#plugins/wallets/intent/moveIntent.ts";
import { RIDER_LOOK_MS } from "#plugins/wallets/reconcile/limits.ts";
import { nextLookMs } from "#plugins/wallets/reconcile/postponeLooks.ts";
import { followSpend, spendOf } from "#plugins/wallets/spend/followSpend.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/** What was sent under this hash, and is mined as it was planned, with all that was paid for. */
export type MinedToSettle = {
	submission: Submission;
	transactionHash: Hex;
	sighting: Sighting;
	receipt: Receipt;
	/** What it cost of what was reserved; null: all of it. */
	spentRaw: bigint | null;
};

/**
 * Settles what is sent and mined, in one statement for all: the submissions, the moves of their
 * intents, and their spends where something is reserved and neither spent nor given back. What
 * somebody else moved meanwhile is left alone.
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
			update wallets.intent set status = $9, error_code = null, changed_at = $1
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

/** One of each block is looked at soon, for all that are in it. */
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

/** Moves an intent by its receipt, and what was reserved for it. Answers by which event. */
export async function tellReceipt(
	tx: Tx,
	told: {
		intentId: string;
		succeeded: boolean;
		missing: Denial | null;
		spentRaw: bigint | null;
		at: Date;
	},
): Promise<IntentEvent> {
	const { intentId, succeeded, missing, spentRaw, at } = told;
	const event: IntentEvent = !succeeded ? "reverted" : missing ? "missed" : "mined";
	const errorCode = succeeded ? (missing?.code ?? null) : "reverted_on_chain";
	const detail = missing?.detail ?? null;
	// From `failed` and `expired` a receipt is first of all found.
	const moved = await moveIntent(tx, { intentId, event, at, errorCode, detail });
	if (moved === null) {
		await moveIntent(tx, { intentId, event: "found", at });
		await moveIntent(tx, { intentId, event, at, errorCode, detail });
	}
	await followSpend(tx, { intentId, move: succeeded ? "spend" : "release", spentRaw, at });
	return event;
}
