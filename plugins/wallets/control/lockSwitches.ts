import type { Tx } from "#core/db/Database.ts";

/** The advisory lock between those who send and those who switch them off: see `lockSwitches`. */
export const switchLockKey = 7_401_663;

/**
 * Takes the lock between those who send and those who switch them off. Senders share it: once a
 * switch has committed, nobody who read it as "on" before can still commit.
 */
export async function lockSwitches(tx: Tx, as: "sender" | "operator"): Promise<void> {
	const lock = as === "sender" ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock";
	await tx.query(`select ${lock}($1)`, [switchLockKey]);
}
