// Lets many small transactions share one commit.

import { type Database, isRefused, isSqlState, type Tx } from "#core/db/Database.ts";
import { defineFaults } from "#core/fault.ts";

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

type Waiting = {
	owner: string;
	act(tx: Tx): Promise<unknown>;
	/** Called once the outcome of the commit is known. */
	settle(committed: Promise<unknown>): void;
};

/** The result of a shared transaction: `rolled back` proves that nothing was committed. */
type Shared = { kind: "ended"; committed: Promise<unknown> } | { kind: "rolled back" };

/**
 * Thrown before the transaction begins: nothing of it is written. Effects before it (a transaction
 * that was sent to the chain) may exist, so the sentence says nothing about them.
 */
export const commitFault = defineFaults({
	commitsWaiting: {
		status: 503,
		retry: "later",
		public: "Too much waits to be written down. Try again in a moment.",
	},
});

/** The most transactions that share one commit, and the most such commits at once. */
export const SHARED_MAX = 32;

export const COMMITS_AT_ONCE = 2;

/** A transaction that waits this long for a row runs alone, so that the others do not wait. */
const SHARED_LOCK_TIMEOUT_MS = 250;

/** Limits the transactions that may wait, of all owners together. */
export const COMMITS_WAITING_MAX = 5_000;
/** Limits the waiting transactions of one owner, so that one alone cannot fill the queue. */
export const OWNER_COMMITS_WAITING_MAX = 100;

/**
 * Makes the sharing of commits: transactions that wait while earlier commits run are committed
 * together, because a commit costs a disk write and several wake-ups, however much it contains.
 * None waits for others to come.
 */
export function createCommits(db: Pick<Database, "transaction">): Commits {
	const waiting: Waiting[] = [];
	const waitingOf = new Map<string, number>();
	const busy = new Set<string>();
	let underWay = 0;

	function begin(): void {
		while (underWay < COMMITS_AT_ONCE) {
			const group = takeGroup(waiting, busy);
			if (group.length === 0) return;
			for (const { owner } of group) leaveLine(waitingOf, owner);
			underWay++;
			void commitTogether(db, group).then((shared) => {
				underWay--;
				for (const one of group) void end(one, shared);
				begin();
			});
		}
	}

	/** Runs a rolled-back one alone; it no longer delays others. */
	async function end(one: Waiting, shared: Shared): Promise<void> {
		const committed = shared.kind === "ended" ? shared.committed : db.transaction(one.act);
		one.settle(committed);
		await committed.catch(() => {});
		busy.delete(one.owner);
		begin();
	}

	return {
		together<Result>(owner: string, act: (tx: Tx) => Promise<Result>) {
			const ofOwner = waitingOf.get(owner) ?? 0;
			if (waiting.length >= COMMITS_WAITING_MAX || ofOwner >= OWNER_COMMITS_WAITING_MAX) {
				return Promise.reject(commitFault.commitsWaiting());
			}
			waitingOf.set(owner, ofOwner + 1);
			const { promise, resolve, reject } = Promise.withResolvers<Result>();
			let result: Result;
			waiting.push({
				owner,
				act: async (tx) => {
					result = await act(tx);
				},
				settle: (committed) => void committed.then(() => resolve(result), reject),
			});
			begin();
			return promise;
		},
	};
}

/** Takes those that wait longest: one per owner, none of an owner with a running one. */
function takeGroup(waiting: Waiting[], busy: Set<string>): Waiting[] {
	const group: Waiting[] = [];
	for (let place = 0; place < waiting.length && group.length < SHARED_MAX; ) {
		const one = waiting[place];
		if (!one || busy.has(one.owner)) {
			place++;
			continue;
		}
		busy.add(one.owner);
		group.push(one);
		waiting.splice(place, 1);
	}
	// In one order in all processes, so that they cannot deadlock.
	return group.sort((one, other) => (one.owner < other.owner ? -1 : 1));
}

function leaveLine(waitingOf: Map<string, number>, owner: string): void {
	const left = (waitingOf.get(owner) ?? 0) - 1;
	if (left > 0) waitingOf.set(owner, left);
	else waitingOf.delete(owner);
}

async function commitTogether(
	db: Pick<Database, "transaction">,
	group: readonly Waiting[],
): Promise<Shared> {
	let isRolledBack = false;
	// A single failure is final; only one that waited for a row gets more time.
	const rollBack = (error: unknown) => {
		isRolledBack = group.length > 1 || isSqlState(error, "lock_not_available");
	};
	const share = async (tx: Tx): Promise<void> => {
		const watched = watchSteps(tx, rollBack);
		// All have ended before the rollback: none continues in a transaction that is gone.
		const outcomes = await Promise.allSettled(group.map(({ act }) => act(watched)));
		const failed = outcomes.find((outcome) => outcome.status === "rejected");
		if (!failed) return;
		rollBack(failed.reason);
		throw failed.reason;
	};
	const committed = db.transaction(share, { lockTimeoutMs: SHARED_LOCK_TIMEOUT_MS });
	await committed.catch(() => {});
	// A commit without an answer may have been done, so it must not be repeated.
	return isRolledBack ? { kind: "rolled back" } : { kind: "ended", committed };
}

/**
 * Wraps last steps: a refusal by the server proves that the commit after it failed. A step without
 * an answer proves nothing.
 */
function watchSteps(tx: Tx, onRefused: (error: unknown) => void): Tx {
	return {
		...tx,
		beforeCommit(run, options) {
			const watched = async (): Promise<void> => {
				try {
					await run();
				} catch (error) {
					if (isRefused(error)) onRefused(error);
					throw error;
				}
			};
			tx.beforeCommit(watched, options);
		},
	};
}
