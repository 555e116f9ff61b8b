import type { Tx } from "#core/db/Database.ts";

/** "toks" in ASCII. */
const TOKENS_LOCK_SPACE = 0x746f_6b73n << 31n;

/**
 * Locks a collection's tokens and trait counts until the transaction ends. For statements that
 * write several of these rows: each takes them in an order of its own, so two at once could be a
 * deadlock (SQLSTATE 40P01).
 */
export async function lockTokens(tx: Tx, collectionId: number): Promise<void> {
	await tx.execute("select pg_advisory_xact_lock($1)", [TOKENS_LOCK_SPACE + BigInt(collectionId)]);
}
