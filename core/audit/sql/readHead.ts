import type { AuditHead } from "#core/audit/AuditHead.ts";
import type { Queryable } from "#core/db/Database.ts";

const EMPTY: AuditHead = { seq: 0, hash: "0".repeat(64) };

/** By the primary key, from its end. */
export async function readHead(db: Queryable): Promise<AuditHead> {
	const [head] = await db.query<AuditHead>(
		`select seq, encode(hash, 'hex') as hash from core.audit_entry order by seq desc limit 1`,
	);
	return head ?? EMPTY;
}
