import type { Tx } from "#core/db/Database.ts";

/**
 * Under the chain's lock. The newest entry is the last of the primary key: one row of the index.
 * PostgreSQL hashes, so reading the newest and writing the next is one statement.
 */
export async function insertEntry(tx: Tx, entry: string): Promise<void> {
	await tx.execute(
		`insert into core.audit_entry (seq, prev_hash, entry, hash)
		select last.seq + 1, last.hash, $1::text, sha256(last.hash || convert_to($1::text, 'UTF8'))
		from (
			(select seq, hash from core.audit_entry order by seq desc limit 1)
			union all
			select 0, decode(repeat('00', 32), 'hex')
			order by seq desc limit 1
		) as last`,
		[entry],
	);
}
