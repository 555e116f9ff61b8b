import type { Tx } from "#core/db/Database.ts";

/**
 * Transactions that share commits while there are many. Alone one is a transaction like any other.
 */
export type Commits = {
	/**
	 * Runs in a transaction, and answers once that is committed. Others of the same owner are never
	 * in the same one, nor under way at the same time: what each reads under its owner's lock is
	 * what those before it have committed.
	 *
	 * @param act only asks the database, and may run twice: where one of those that share a commit
	 *   fails, all are rolled back, and each runs by itself. Where too many wait (`commits_waiting`)
	 *   it does not run at all.
	 */
	together<Result>(owner: string, act: (tx: Tx) => Promise<Result>): Promise<Result>;
};
