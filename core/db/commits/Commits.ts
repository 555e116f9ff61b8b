import type { Tx } from "#core/db/Database.ts";

/** Transactions that share commits while there are many. A single one runs alone. */
export type Commits = {
	/**
	 * Runs in a transaction, and resolves once that is committed. Two of the same owner are never in
	 * the same transaction, nor under way at the same time: each sees what the owner's earlier ones
	 * committed.
	 *
	 * @param act only uses the database, and may run twice: if one of those that share a commit
	 * fails, all are rolled back, and each runs alone. If too many wait (`commits_waiting`) it does
	 * not run at all.
	 */
	together<Result>(owner: string, act: (tx: Tx) => Promise<Result>): Promise<Result>;
};
