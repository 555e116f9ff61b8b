import type { Tx } from "#core/db/Database.ts";

/** "audt" in ASCII. Any constant will do; it must only be the same in every process. */
const AUDIT_LOCK_KEY = 0x61756474;

/** A statement of its own: one that waits for a lock goes on with what it saw before it waited. */
export async function lockChain(tx: Tx): Promise<void> {
	await tx.execute("select pg_advisory_xact_lock($1)", [AUDIT_LOCK_KEY]);
}
