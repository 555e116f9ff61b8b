// Reads and writes how far accounts' pasts were read, and what they sent on no record.

import { hexToBytes, keccak256 } from "viem";
import type { Database, Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { SentTransaction } from "#plugins/wallets/chain/readSentSince.ts";
import type { Account } from "#plugins/wallets/submission/nonceQueue.ts";
import { pastSql, selectorOf } from "#plugins/wallets/submission/strays.ts";

/** Names an account, as parameters of a statement. */
export type Of = readonly [chainId: number, sender: Uint8Array];

/** Holds from where an account's past is read on. */
export type PastBegin = {
	at: Date;
	/** The count by our own records, with a block in which the last of these nonces was free. */
	ownCount: number | null;
	ownBlock: number | null;
	/** The record with that nonce, and when it was made. */
	ownId: string | null;
	ownAt: Date | null;
	readBlock: number | null;
	/** When all up to that block was read; null: the reading goes on. */
	readAt: Date | null;
	/** The number of transactions that were read, or believed, before. */
	explained: number | null;
	/** Says whether the account was not read since a restore: equal counts then prove nothing. */
	isRestored: boolean;
};

/** Reads from where an account's past is read on. */
export async function readBegin(db: Database, { chainId, from }: Account): Promise<PastBegin> {
	const [row] = await db.query<PastBegin>(
		`select now() as at, own.nonce + 1 as "ownCount", own.from_block as "ownBlock",
			own.id as "ownId", own.at as "ownAt", read.block as "readBlock", read.at as "readAt",
			read.count as explained, ${pastSql.isRestored({ chain: "$1", sender: "$2" })} as "isRestored"
		from (select) as one left join lateral (
			select id, nonce, from_block, coalesce(sent_at, created_at) as at from wallets.submission
			where chain_id = $1 and sender = $2 and nonce is not null
				and state not in ('queued', 'never', 'refused')
			order by nonce desc limit 1
		) as own on true left join wallets.account_read as read
			on read.chain_id = $1 and read.sender = $2`,
		[chainId, hexToBytes(from)],
	);
	assert(row !== undefined, "one row is always answered");
	return row;
}

/** Lowers blocks from which a reading begins, unless they changed; null: that one stays. */
export async function correctRead(
	tx: Tx,
	given: { of: Of; begin: PastBegin; read: number | null; own: number | null },
): Promise<void> {
	const { of, begin, read, own } = given;
	await tx.execute(
		`update wallets.account_read set block = least(block, $4::int8)
		where chain_id = $1 and sender = $2 and block = $3`,
		[...of, begin.readBlock, read],
	);
	await tx.execute(
		`update wallets.submission set from_block = least(from_block, $3::int8)
		where id = $1 and from_block = $2`,
		[begin.ownId, begin.ownBlock, own],
	);
}

/** Notes when all that an account had sent was read. */
export async function noteReadAt(tx: Tx, of: Of, at: Date): Promise<void> {
	await tx.execute(
		`update wallets.account_read set at = greatest(at, $3)
		where chain_id = $1 and sender = $2`,
		[...of, at],
	);
}

/** Stores transactions that are none of ours, by hash or by nonce and call. */
export async function keepStrays(
	tx: Tx,
	given: { of: Of; sent: readonly SentTransaction[]; block: number },
): Promise<void> {
	const { of, sent, block } = given;
	if (sent.length === 0) return;
	await tx.execute(
		`insert into wallets.stray
			(chain_id, sender, hash, nonce, recipient, value_raw, selector, data_hash, block)
		select $1::int8, $2::bytea, hash, nonce, recipient, value_raw, selector, data_hash, $9::int8
		from unnest($3::bytea[], $4::int8[], $5::bytea[], $6::numeric[], $7::bytea[], $8::bytea[],
				$10::text[]) as t (hash, nonce, recipient, value_raw, selector, data_hash, data)
		where not exists (
			select from wallets.submission s where s.chain_id = $1::int8 and s.sender = $2::bytea and (
				s.transaction_hash = t.hash
				or s.nonce = t.nonce and s.state not in ('queued', 'never', 'refused')
					and s.transaction->>'to' = '0x' || encode(t.recipient, 'hex')
					and (s.transaction->>'valueRaw')::numeric = t.value_raw
					and lower(s.transaction->>'data') = t.data
			)
		)
		on conflict do nothing`,
		[
			...of,
			sent.map(({ hash }) => hexToBytes(hash)),
			sent.map(({ nonce }) => nonce),
			sent.map(({ to }) => to && hexToBytes(to)),
			sent.map(({ valueRaw }) => valueRaw),
			sent.map(({ data }) => hexToBytes(selectorOf(data))),
			sent.map(({ data }) => hexToBytes(keccak256(data))),
			block,
			sent.map(({ data }) => data),
		],
	);
}

/** Notes up to which block and count an account was read; never less than before. */
export async function noteRead(
	tx: Tx,
	{ of, block, count }: { of: Of; block: number; count: number },
): Promise<void> {
	await tx.execute(
		`insert into wallets.account_read as read (chain_id, sender, block, count)
		values ($1, $2, $3, $4)
		on conflict (chain_id, sender) do update
		set block = greatest(read.block, $3), count = greatest(read.count, $4)`,
		[...of, block, count],
	);
}
