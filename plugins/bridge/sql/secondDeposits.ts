// Writes and reads bridges that follow a deposit which was made once more for another bridge.

import { bytesOf, type Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { Bridge } from "#plugins/bridge/sql/bridges.ts";

type NewSecond = {
	id: string;
	/** Whose order was deposited for. */
	bridge: Bridge;
	/** The quote whose deposit it is. */
	quoteSeq: number;
	depositHash: Hex;
	/** Its log's place in the transaction; null: of a message, which names no order. */
	depositLog: number | null;
	/** When its block was made: who paid for the provider by then pays for it. */
	depositedAt: Date;
	/** The time when the deposit was found. */
	at: Date;
};

/** A deposit that a bridge follows; `depositLog` null: it is its transaction's only one. */
export type Claim = { quoteSeq: number | null; depositLog: number | null };

/**
 * Stores a deposit as a bridge of its own, which is due at once, and returns true; false where it
 * is followed already. A message is followed once for all bridges of a profile, as it may be any
 * one's; by `bridge_of_profile`.
 */
export async function insertSecond(tx: Tx, given: NewSecond): Promise<boolean> {
	const { id, bridge, quoteSeq, depositHash, depositLog, depositedAt, at } = given;
	const written = await tx.execute(
		`with inserted as (
			insert into bridge.bridge (id, profile_id, wallet_id, channel, asks, request, route, status,
				quote_seq, deposit_hash, deposited_at, created_at, changed_at, look_at, deposit_of,
				deposit_log)
			select $1::uuid, profile_id, wallet_id, channel, false, request, route, 'pending',
				$3::int4, $4::bytea, $6::timestamptz, $5::timestamptz, $5, $5, coalesce(deposit_of, id),
				$7::int4
			from bridge.bridge as b where id = $2
				and ($7::int4 is not null or not exists (
					select from bridge.bridge where profile_id = b.profile_id and deposit_hash = $4
				))
			on conflict do nothing returning id, deposit_hash
		)
		insert into bridge.move (bridge_id, from_status, to_status, event, detail, at, deposit_hash,
			proven_by)
		select id, 'created', 'pending', 'deposit', 'second_deposit', $5, deposit_hash, 'own_node'
		from inserted`,
		[id, bridge.id, quoteSeq, bytesOf(depositHash), at, depositedAt, depositLog],
	);
	return written > 0;
}

/**
 * Reads which deposits of a transaction are followed: by the bridge whose orders they are for, or
 * by one that follows a further deposit for it. The caller holds that bridge's row. By primary key,
 * and `bridge_deposit_of`.
 */
export async function readClaims(
	tx: Tx,
	{ bridgeId, depositHash }: { bridgeId: string; depositHash: Hex },
): Promise<Claim[]> {
	return await tx.query<Claim>(
		`select quote_seq as "quoteSeq", deposit_log as "depositLog" from bridge.bridge
		where (id = $1 or deposit_of = $1) and deposit_hash = $2 order by id`,
		[bridgeId, bytesOf(depositHash)],
	);
}

/** Stores which log of its transaction is a bridge's own deposit. */
export async function noteDepositLog(
	tx: Tx,
	{ bridgeId, depositLog }: { bridgeId: string; depositLog: number },
): Promise<void> {
	await tx.execute("update bridge.bridge set deposit_log = $2 where id = $1", [
		bridgeId,
		depositLog,
	]);
}

/** Reads transactions that are followed as more deposits of a bridge. By `bridge_deposit_of`. */
export async function readSecondHashes(db: Queryable, bridgeId: string): Promise<Hex[]> {
	const rows = await db.query<{ hash: Hex }>(
		`select '0x' || encode(deposit_hash, 'hex') as hash from bridge.bridge where deposit_of = $1`,
		[bridgeId],
	);
	return rows.map(({ hash }) => hash);
}

/** Returns whether another bridge of the same profile deposits by the same call. */
export async function isCallOfAnother(
	db: Queryable,
	{ bridge, data }: { bridge: Bridge; data: Hex },
): Promise<boolean> {
	const rows = await db.query(
		`select 1 from bridge.bridge as b join bridge.quote as q on q.bridge_id = b.id
		where b.profile_id = $1 and b.id <> $2 and b.deposit_of is null
			and q.steps->-1->>'data' = $3 limit 1`,
		[bridge.profileId, bridge.id, data],
	);
	return rows.length > 0;
}
