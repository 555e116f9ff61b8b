import type { Queryable } from "#core/db/Database.ts";

export type Unresolved = {
	id: string;
	kind: string;
	walletId: string;
	chainId: number;
	sender: string;
	nonce: number | null;
	transactionHash: string | null;
	changedAt: Date;
};

/** Intents in doubt, those first that are so for longest. Along the index `intent_open`. */
export async function readUnresolved(db: Queryable, limit: number): Promise<Unresolved[]> {
	const rows = await db.query<Unresolved>(
		`select i.id, i.kind, i.wallet_id as "walletId", i.chain_id as "chainId",
			'0x' || encode(s.sender, 'hex') as sender, coalesce(s.nonce, s.seen_nonce) as nonce,
			'0x' || encode(s.transaction_hash, 'hex') as "transactionHash",
			i.changed_at as "changedAt"
		from wallets.intent i join wallets.submission s on s.intent_id = i.id and s.purpose = 'pay'
		where i.status = 'uncertain' and s.final_at is null
		order by i.changed_at limit $1`,
		[limit],
	);
	// A nonce that fits no number is its row's flaw, and not the list's.
	return rows.map((row) => ({ ...row, nonce: Number.isSafeInteger(row.nonce) ? row.nonce : null }));
}
