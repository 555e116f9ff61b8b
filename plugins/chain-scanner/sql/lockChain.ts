import type { Tx } from "#core/db/Database.ts";

/** Distinguishes our advisory locks from others: "la" in ASCII, in the high bytes of the key. */
const CHAIN_LOCK_SPACE = 0x6c61n << 46n;

/**
 * Locks a chain until the transaction ends. Mint, sale and backfill lanes and the repair of forks
 * touch the same rows: one after the other.
 */
export async function lockChain(tx: Tx, chainId: number): Promise<void> {
	await tx.execute("select pg_advisory_xact_lock($1)", [CHAIN_LOCK_SPACE + BigInt(chainId)]);
}
