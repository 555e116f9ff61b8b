import type { Queryable } from "#core/db/Database.ts";

/** Up to 4 MiB of entries at once. */
const ENTRIES_PER_PAGE_MAX = 500;

export type StoredEntry = { seq: number; prevHash: string; hash: string; entry: string };

/** A page of the chain, by the primary key; empty behind the last. */
export function readEntries(
	db: Queryable,
	{ afterSeq, toSeq }: { afterSeq: number; toSeq: number },
): Promise<StoredEntry[]> {
	return db.query<StoredEntry>(
		`select seq, encode(prev_hash, 'hex') as "prevHash", encode(hash, 'hex') as hash, entry
		from core.audit_entry where seq > $1 and seq <= $2 order by seq limit $3`,
		[afterSeq, toSeq, ENTRIES_PER_PAGE_MAX],
	);
}
