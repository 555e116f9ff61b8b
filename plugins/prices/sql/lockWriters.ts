import type { Tx } from "#core/db/Database.ts";

/** "pr" in ASCII, in the high bytes of the key. */
const PRICES_LOCK_KEY = 0x7072n << 46n;

/**
 * Lets one writer of rounds in at a time, until its transaction ends: so `change` grows in the
 * order of commits, and a reader that continues from one misses none.
 */
export async function lockWriters(tx: Tx): Promise<void> {
	await tx.execute("select pg_advisory_xact_lock($1)", [PRICES_LOCK_KEY]);
}
