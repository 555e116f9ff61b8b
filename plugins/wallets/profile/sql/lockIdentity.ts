import type { Tx } from "#core/db/Database.ts";

/** "id" in ASCII, in the high bytes of the key. */
const IDENTITY_LOCK_KEY = 0x6964n << 46n;

/**
 * Lets one transaction at a time say who somebody is: a social account, a user of the wallet
 * provider and an address belong to one profile each, and whoever checks must see what the other
 * did. Held for a few statements; signing in is rare beside everything else.
 */
export async function lockIdentity(tx: Tx): Promise<void> {
	await tx.execute("select pg_advisory_xact_lock($1)", [IDENTITY_LOCK_KEY]);
}
