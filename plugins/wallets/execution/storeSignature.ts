import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import { hexOf } from "#core/chain/hexOf.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import { nextStatus } from "#plugins/wallets/intent/intentMachine.ts";
import { noteMove } from "#plugins/wallets/intent/moveIntent.ts";
import { hashPlan } from "#plugins/wallets/plan/hashPlan.ts";
import { planCodec } from "#plugins/wallets/plan/planCodec.ts";

export type StoredSignature = {
	intentId: string;
	plan: Plan;
	signature: Hex;
	usdMicros: bigint;
	at: Date;
};

/**
 * Stores what a wallet signed, confirms the intent by it and counts its spend, in one statement:
 * there is never a signature that was not counted. False where the intent is not `created` any
 * more; then nothing is written, and the signature must be forgotten. The caller holds the
 * profile's row, and has decided on sums read under it.
 *
 * The spend is reserved and spent at once: from here on whoever has the signature may use it.
 */
export async function storeSignature(tx: Tx, stored: StoredSignature): Promise<boolean> {
	const { intentId, plan, signature, usdMicros, at } = stored;
	const to = nextStatus("created", "sign");
	assert(to !== null, "what is created can be signed");
	const written = await tx.execute(
		`with moved as (
			update wallets.intent set status = $2, error_code = null, changed_at = $3, plan = $4,
				plan_hash = $5, signature = $6
			where id = $1 and status = 'created' returning id, profile_id, wallet_id, chain_id
		), noted as (
			${noteMove({ event: "'sign'", from: "'created'", to: "$2", at: "$3" })}
		)
		insert into wallets.spend_entry
			(intent_id, profile_id, wallet_id, kind, chain_id, currency, amount_raw, usd_micros, at)
		select id, profile_id, wallet_id, entry.kind::wallets.spend_kind, chain_id, $7::bytea,
			$8::numeric, $9::int8, $3
		from moved, (values (1, 'reserve'), (2, 'spend')) as entry (place, kind)
		order by entry.place`,
		[
			...[intentId, to, at, JSON.stringify(planCodec.write(plan)), hexToBytes(hashPlan(plan))],
			...[hexToBytes(signature), hexToBytes(plan.spend.currency), plan.spend.raw, usdMicros],
		],
	);
	return written > 0;
}

/** Reads what a wallet signed for an intent; null where nothing is stored. */
export async function readSignature(db: Queryable, intentId: string): Promise<Hex | null> {
	const [row] = await db.query<{ signature: Uint8Array | null }>(
		"select signature from wallets.intent where id = $1",
		[intentId],
	);
	return row?.signature ? hexOf(row.signature) : null;
}
