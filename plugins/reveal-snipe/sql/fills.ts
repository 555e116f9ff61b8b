// Reads and writes the fills of plans.

import { bytesOf, type Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";

/** A token that a plan bought or tried to buy. */
export type Fill = {
	planId: string;
	tokenId: string;
	/** The newest attempt, and those before it. */
	intentId: string;
	pastIntentIds: string[];
	orderHash: Hex;
	rank: number | null;
	/** The most that the newest attempt may spend. */
	priceRaw: bigint;
	createdAt: Date;
};

/** Returns the fills of plans, by primary key, in the order in which they were made. */
export async function readFills(db: Queryable, planIds: readonly string[]): Promise<Fill[]> {
	const rows = await db.query<Omit<Fill, "priceRaw"> & { priceRaw: string }>(
		`select plan_id as "planId", token_id::text as "tokenId", intent_id as "intentId",
			past_intent_ids as "pastIntentIds", '0x' || encode(order_hash, 'hex') as "orderHash", rank,
			price_raw as "priceRaw", created_at as "createdAt"
		from reveal_snipe.fill where plan_id = any($1::uuid[]) order by created_at, token_id`,
		[planIds],
	);
	return rows.map((row) => ({ ...row, priceRaw: BigInt(row.priceRaw) }));
}

/**
 * Returns the newest intents by which other plans buy a listing, including ended ones. By
 * `fill_of_order`. Locks the order: no other fill of it is made until the transaction ends.
 */
export async function lockFillsOfOrder(
	tx: Tx,
	{ orderHash, planId }: { orderHash: Hex; planId: string },
): Promise<string[]> {
	await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
		`reveal_snipe.fill ${orderHash}`,
	]);
	const rows = await tx.query<{ id: string }>(
		"select intent_id as id from reveal_snipe.fill where order_hash = $1 and plan_id <> $2",
		[bytesOf(orderHash), planId],
	);
	return rows.map(({ id }) => id);
}

/**
 * Stores a fill. If the token has one, its newest intent becomes a past one: the caller has
 * checked, under the lock of the plan, that it has ended and holds nothing.
 */
export async function putFill(tx: Tx, fill: Omit<Fill, "pastIntentIds">): Promise<void> {
	await tx.execute(
		`insert into reveal_snipe.fill as kept
			(plan_id, token_id, intent_id, order_hash, rank, price_raw, created_at)
		values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (plan_id, token_id) do update set
			past_intent_ids = kept.past_intent_ids || kept.intent_id,
			intent_id = excluded.intent_id, order_hash = excluded.order_hash, rank = excluded.rank,
			price_raw = excluded.price_raw`,
		[
			...[fill.planId, fill.tokenId, fill.intentId, bytesOf(fill.orderHash), fill.rank],
			...[fill.priceRaw, fill.createdAt],
		],
	);
}
